// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Changes generates the code of the plan in a copy of the module, and returns all that is to be written, sorted by
// path. The paths are seen from [Location.Base].
func (p *Plan) Changes(ctx context.Context) (changes []tree.Change, err error) {
	if err := p.complete(); err != nil {
		return nil, err
	}
	from := ""
	if p.location.Exists {
		from = p.location.Module
	} else if info, err := os.Stat(p.location.Root()); err == nil && info.IsDir() {
		from = p.location.Root()
	}
	st, err := workspace.Copy(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Remove()) }()
	generated, err := p.try(ctx, st)
	if err != nil {
		return nil, err
	}
	return p.compare(generated)
}

// complete adds the files that are crdctl's own: the record in crdctl.yaml, and those that know all kinds.
func (p *Plan) complete() error {
	settings, ok := p.Tree.Content(config.FileName)
	if !ok {
		var err error
		if settings, err = p.location.Seen.ReadFile(filepath.Join(p.location.Root(), config.FileName)); err != nil {
			return err
		}
	}
	settings, err := config.PutScaffold(settings, p.after.Project.Record())
	if err != nil {
		return err
	}
	if err := p.Tree.Put(config.FileName, settings); err != nil {
		return err
	}
	wiring, err := p.after.Project.Wiring(p.after.Templates)
	if err != nil {
		return err
	}
	p.wiring = wiring
	if err := p.Tree.AddAll(wiring); err != nil {
		return err
	}
	return p.removeUnneeded(wiring)
}

// try writes the plan into a copy, and returns what is generated there.
func (p *Plan) try(ctx context.Context, st *workspace.ModuleCopy) (*tree.Tree, error) {
	root := filepath.Join(st.Module, filepath.FromSlash(p.location.Dir))
	if !p.location.Exists {
		root = st.Module
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	changes, err := p.Tree.Diff(root)
	if err != nil {
		return nil, err
	}
	if err := tree.Write(root, changes); err != nil {
		return nil, err
	}
	if err := p.settleModule(ctx, st.Module, root); err != nil {
		return nil, err
	}
	if len(p.Conflicts) > 0 {
		return tree.New(), nil // what is generated waits for the user, who has conflicts to resolve first
	}
	settings, err := config.Load(root)
	if err != nil {
		return nil, err
	}
	result, err := gen.Generate(ctx, root, settings, gen.Options{Year: time.Now().UTC().Year()})
	if err != nil {
		return nil, err
	}
	p.Notes = result.Notes
	return result.Tree, p.compiles(ctx, root, result)
}

// compiles refuses generated code that does not compile, unless that is for a newer version of a library to change. What could not
// be checked is a note.
func (p *Plan) compiles(ctx context.Context, root string, result *gen.Result) error {
	changes, err := result.Tree.Diff(root)
	if err != nil {
		return err
	}
	var uncompiled *gen.CompileError
	notes, err := result.TypeCheck(ctx, changes)
	p.Notes = append(p.Notes, notes...)
	if errors.As(err, &uncompiled) && uncompiled.Cause == gen.Outdated {
		p.Notes = append(p.Notes, "crdctl: warning: "+err.Error())
		return nil
	}
	return err
}

// compare finds what differs on disk, with paths from the module's directory on.
func (p *Plan) compare(generated *tree.Tree) ([]tree.Change, error) {
	root := p.location.Root()
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		empty, err := tempdir.NewRun()
		if err != nil {
			return nil, err
		}
		defer func() { _ = empty.Remove() }()
		root = filepath.Join(empty.Path, "project")
		if err := os.Mkdir(root, 0o700); err != nil {
			return nil, err
		}
	}
	var all []tree.Change
	for _, t := range []*tree.Tree{p.Tree, generated} {
		changes, err := t.Diff(root)
		if err != nil {
			return nil, err
		}
		all = append(all, changes...)
	}
	if p.before.Project == nil {
		p.Generated = append(p.wiring.InTheWay(root), generated.InTheWay(root)...)
		slices.Sort(p.Generated)
		all = slices.DeleteFunc(all, func(c tree.Change) bool {
			if c.Op == tree.Delete {
				p.LeftOver = append(p.LeftOver, c.Path)
			}
			return c.Op == tree.Delete
		})
	}
	for i := range all {
		all[i].Path = p.location.from(p.location.Root(), all[i].Path)
	}
	shared, err := p.sharedChanges()
	if err != nil {
		return nil, err
	}
	all = append(all, shared...)
	if err := p.location.Seen.Check(p.location.Base(), all); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b tree.Change) int { return strings.Compare(a.Path, b.Path) })
	// A file that is generated no more can also be one that the scaffold has no more.
	return slices.CompactFunc(all, func(a, b tree.Change) bool { return a.Path == b.Path && a.Op == tree.Delete && b.Op == tree.Delete }), nil
}
