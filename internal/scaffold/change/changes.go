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

// Changes generates the code of the draft in a copy of the module, and returns all that is to be written, sorted by
// path. The paths are seen from [Place.Base].
func (d *Draft) Changes(ctx context.Context) (changes []tree.Change, err error) {
	if err := d.complete(); err != nil {
		return nil, err
	}
	from := ""
	if d.place.Exists {
		from = d.place.Module
	} else if info, err := os.Stat(d.place.Root()); err == nil && info.IsDir() {
		from = d.place.Root()
	}
	st, err := workspace.Copy(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Remove()) }()
	generated, err := d.try(ctx, st)
	if err != nil {
		return nil, err
	}
	return d.compare(generated)
}

// complete adds the files that are crdctl's own: the record in crdctl.yaml, and those that know all kinds.
func (d *Draft) complete() error {
	settings, ok := d.Tree.Content(config.FileName)
	if !ok {
		var err error
		if settings, err = d.place.Seen.ReadFile(filepath.Join(d.place.Root(), config.FileName)); err != nil {
			return err
		}
	}
	settings, err := config.PutScaffold(settings, d.after.Project.Record())
	if err != nil {
		return err
	}
	if err := d.Tree.Put(config.FileName, settings); err != nil {
		return err
	}
	wiring, err := d.after.Project.Wiring(d.after.Templates)
	if err != nil {
		return err
	}
	d.wiring = wiring
	if err := d.Tree.AddAll(wiring); err != nil {
		return err
	}
	return d.leave(wiring)
}

// try makes the draft real in a copy, and returns what is generated there.
func (d *Draft) try(ctx context.Context, st *workspace.ModuleCopy) (*tree.Tree, error) {
	root := filepath.Join(st.Module, filepath.FromSlash(d.place.Folder))
	if !d.place.Exists {
		root = st.Module
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	changes, err := d.Tree.Diff(root)
	if err != nil {
		return nil, err
	}
	if err := tree.Write(root, changes); err != nil {
		return nil, err
	}
	if err := d.settleModule(ctx, st.Module, root); err != nil {
		return nil, err
	}
	if len(d.Conflicts) > 0 {
		return tree.New(), nil // what is generated waits for the user, who has files to mend first
	}
	settings, err := config.Load(root)
	if err != nil {
		return nil, err
	}
	result, err := gen.Generate(ctx, root, settings, gen.Options{Year: time.Now().UTC().Year()})
	if err != nil {
		return nil, err
	}
	d.Notes = result.Notes
	return result.Tree, d.compiles(ctx, root, result)
}

// compiles refuses generated code that does not compile, unless that is for a newer version of a library to change. What could not
// be checked is a note.
func (d *Draft) compiles(ctx context.Context, root string, result *gen.Result) error {
	changes, err := result.Tree.Diff(root)
	if err != nil {
		return err
	}
	var uncompiled *gen.CompileError
	notes, err := result.TypeCheck(ctx, changes)
	d.Notes = append(d.Notes, notes...)
	if errors.As(err, &uncompiled) && uncompiled.Cause == gen.Outdated {
		d.Notes = append(d.Notes, "crdctl: warning: "+err.Error())
		return nil
	}
	return err
}

// compare finds what differs on disk, with paths from the module's folder on.
func (d *Draft) compare(generated *tree.Tree) ([]tree.Change, error) {
	root := d.place.Root()
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
	for _, t := range []*tree.Tree{d.Tree, generated} {
		changes, err := t.Diff(root)
		if err != nil {
			return nil, err
		}
		all = append(all, changes...)
	}
	if d.before.Project == nil {
		d.Generated = append(d.wiring.InTheWay(root), generated.InTheWay(root)...)
		slices.Sort(d.Generated)
		all = slices.DeleteFunc(all, func(c tree.Change) bool {
			if c.Op == tree.Delete {
				d.LeftOver = append(d.LeftOver, c.Path)
			}
			return c.Op == tree.Delete
		})
	}
	for i := range all {
		all[i].Path = d.place.from(d.place.Root(), all[i].Path)
	}
	shared, err := d.sharedChanges()
	if err != nil {
		return nil, err
	}
	all = append(all, shared...)
	if err := d.place.Seen.Check(d.place.Base(), all); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b tree.Change) int { return strings.Compare(a.Path, b.Path) })
	// A file that is generated no more can also be one that the scaffold has no more.
	return slices.CompactFunc(all, func(a, b tree.Change) bool { return a.Path == b.Path && a.Op == tree.Delete && b.Op == tree.Delete }), nil
}

// Write carries out changes that a draft handed out.
func Write(place Location, changes []tree.Change) error {
	_, statErr := os.Stat(place.Root())
	if err := os.MkdirAll(place.Root(), 0o755); err != nil {
		return err
	}
	if err := tree.Write(place.Base(), changes); err != nil {
		if statErr != nil {
			_ = os.Remove(place.Root()) // it is empty again
		}
		return err
	}
	return nil
}
