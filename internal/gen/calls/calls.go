// SPDX-License-Identifier: Apache-2.0

// Package calls puts what the calls of controller-gen make into the tree of a project: it decides which of the files on disk are
// theirs, which a script removes, and compares those that scripts change.
//
// It makes no file itself, which is for package controllergen, and decides nothing about the generators of code-generator.
package calls

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/postprocess"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// Tool is the name of the program that makes these files.
const Tool = "controller-gen"

// Only are the names of the generators of controller-gen among those that the commands know; both families have deep copies under
// a name of their own. none is set where names are given, and none of them is one of controller-gen's.
func Only(names []string) (only []string, none bool) {
	for _, name := range names {
		if name == "deepcopy" {
			name = "object"
		}
		if slices.Contains(config.ControllerGenNames, name) && !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	return only, len(names) > 0 && len(only) == 0
}

// Added says what became of the files of the calls.
type Added struct {
	// Generators are those of the files that are in the tree, by path.
	Generators map[string]string
	// Compared are those of the files that have all that was generated, though scripts changed them: they are fresh, and not in the
	// tree.
	Compared map[string]string
	// NotCompared are the other files that scripts change, and those of calls that could not run.
	NotCompared []tree.NotCompared
	Notes       []string
}

// project are the settings of the calls of one project.
type project struct {
	root     string
	settings config.ControllerGen
	only     []string
	files    map[string]*controllergen.File // what the calls made, by path; of several that make one file, the last
	left     map[string]bool                // files on disk that are not to be removed: calls that could not run, or had other input, may have made them
	exceeded map[string]bool                // files on disk that scripts change, and that differ in more than these change
}

// Add puts what the calls made into a tree, with the places where files are theirs. year is that of new files.
func Add(t *tree.Tree, root string, settings config.ControllerGen, made *Made, year int) (*Added, error) {
	added := &Added{Generators: map[string]string{}, Compared: map[string]string{}}
	if made.None {
		return added, nil
	}
	p := &project{root: root, settings: settings, only: made.Only, files: map[string]*controllergen.File{}, left: map[string]bool{}, exceeded: map[string]bool{}}
	for i, f := range made.Files {
		// Both families may make deep copies of a package. Those of deepcopy-gen are in the tree then: a project leaves out of its
		// plan the packages whose deep copies on disk are controller-gen's.
		if _, other := t.Content(f.Path); !other && !settings.IsRemoved(f.Path) {
			p.files[f.Path] = &made.Files[i] // as upstream's calls, one after the other, would leave it
		}
	}
	var err error
	if added.NotCompared, err = p.leave(made.Failed); err != nil {
		return nil, err
	}
	silent, err := p.leaveSilent(made.Silent)
	if err != nil {
		return nil, err
	}
	added.NotCompared = append(added.NotCompared, silent...)
	if silent, err = p.leaveIgnored(made.Ignored); err != nil {
		return nil, err
	}
	added.NotCompared = append(added.NotCompared, silent...)
	p.nameMarks()
	settled, err := p.settle(year)
	if err != nil {
		return nil, err
	}
	settled, guessed, err := p.leaveGuessed(settled)
	if err != nil {
		return nil, err
	}
	added.NotCompared = append(added.NotCompared, guessed...)
	added.NotCompared = append(added.NotCompared, p.leaveUnmarked(made.DeepCopies)...)
	var compared []comparison
	for _, s := range settled {
		lost := s.by != nil && s.missing && slices.ContainsFunc(settled, s.isBeside)
		if s.by != nil && !s.isStale() && !lost {
			compared = append(compared, s)
			continue
		}
		if s.by != nil && !s.missing {
			p.exceeded[s.path] = true
			note := fmt.Sprintf("%s: its content differs, and not only %s (changed by %s)", s.path, changed[s.by.Changes], cmp.Or(s.by.By, aScript))
			if path.Ext(s.path) != ".go" {
				note += ": " + text.FirstSaid(s.result.Differences, shownDifferences)
			}
			added.Notes = append(added.Notes, note)
		}
		if err := t.Add(s.path, s.content); err != nil {
			return nil, err
		}
		added.Generators[s.path] = Tool + " " + s.generator
	}
	added.sum(compared, settings)
	for _, a := range p.areas(made.Failed) {
		t.Own(a)
	}
	alone, err := p.leftAlone(t, made.Failed)
	added.NotCompared = append(added.NotCompared, alone...)
	return added, err
}

// comparison is a file that was made, as it is to be, and how the one on disk relates to it if a script changes it.
type comparison struct {
	path, generator string
	call            int
	content         []byte
	by              *config.PostProcessed // nil where no script changes it
	missing         bool
	result          postprocess.Result
}

// changed are the changes of scripts in words.
var changed = map[config.Change]string{config.ChangesForm: "its form", config.ChangesMetadata: "its form and metadata"}

// isStale reports whether the file that a script changes cannot be up to date, whatever the script did: the script changes less than
// what differs.
func (c *comparison) isStale() bool {
	switch c.by.Changes {
	case config.ChangesForm:
		return c.missing || c.result.Content
	case config.ChangesMetadata:
		return c.missing || c.result.Object
	}
	return false
}

// isBeside reports whether a file exists that the same call makes and the same script changes: the script does not move such files.
func (c *comparison) isBeside(other comparison) bool {
	return other.by != nil && !other.missing && other.call == c.call && other.generator == c.generator && other.by.By == c.by.By && path.Dir(other.path) == path.Dir(c.path)
}

// settle decides on the content of each file, in the order of their paths. The files on disk are read side by side: they may have
// an older year.
func (p *project) settle(year int) ([]comparison, error) {
	all := make([]comparison, 0, len(p.files))
	for _, f := range p.files {
		all = append(all, comparison{path: f.Path, generator: f.Generator, call: f.Call, by: p.settings.PostProcessedBy(f.Path)})
	}
	slices.SortFunc(all, func(a, b comparison) int { return strings.Compare(a.path, b.path) })
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		group.Go(func() error {
			one, f := &all[i], p.files[all[i].path]
			named := path.Ext(f.Path) == ".go" && bytes.Contains(f.Content, []byte("json.RawMessage")) // by another release of Go otherwise
			if !f.Year && one.by == nil && len(f.Also) == 0 && !named {
				one.content = f.Content // whatever is on disk
				return nil
			}
			onDisk, err := safefs.ReadFile(filepath.Join(p.root, filepath.FromSlash(f.Path)), safefs.MaxFile)
			if err != nil && !os.IsNotExist(err) && one.by != nil {
				return err
			}
			one.missing = err != nil
			one.compare(f, f.Content, onDisk, year)
			for _, content := range f.Also {
				if other := *one; other.compare(f, content, onDisk, year) {
					*one = other
				}
			}
			if one.by != nil && one.by.Changes == config.ChangesForm && path.Ext(f.Path) == ".go" {
				one.content = headed(one.content, onDisk)
			}
			return nil
		})
	}
	return all, group.Wait()
}

// headed is generated Go code below what stands above it in the file on disk: a script gives it that header, so it is not to be lost meanwhile.
func headed(content, onDisk []byte) []byte {
	mark := []byte(codegen.GeneratedBy(Tool))
	i, j := bytes.Index(content, mark), bytes.Index(onDisk, mark)
	if i < 0 || j < 0 {
		return content
	}
	return slices.Concat(onDisk[:j], content[i:])
}

// compare takes one of the contents that a file may have, and reports whether the file on disk has it.
func (c *comparison) compare(f *controllergen.File, content, onDisk []byte, year int) bool {
	if c.content = dated(f, content, onDisk, year); path.Ext(f.Path) == ".go" && codegen.SameButGo(c.content, onDisk) {
		c.content = onDisk
	}
	if c.by == nil {
		return bytes.Equal(c.content, onDisk)
	}
	c.result = postprocess.Compare(f.Path, c.content, onDisk)
	return c.result.Fresh()
}

// dated is content of a file with the year in its header, given the file on disk.
func dated(f *controllergen.File, content, onDisk []byte, year int) []byte {
	if !f.Year {
		return content
	}
	end := []byte("---\n")
	if path.Ext(f.Path) == ".go" {
		end = []byte(codegen.GeneratedBy(Tool))
	}
	return codegen.DateHeader(content, bytes.Index(content, end), onDisk, year)
}

// shownDifferences is how many differences a reason has.
const shownDifferences = 5

// sum turns comparisons into the answer: what is fresh in one note for each script, the rest file by file.
func (a *Added) sum(all []comparison, settings config.ControllerGen) {
	fresh := map[string][]comparison{}
	var scripts []string
	for _, c := range all {
		by := cmp.Or(c.by.By, aScript)
		if c.result.Fresh() && !c.missing {
			a.Compared[c.path] = Tool + " " + c.generator
			if !slices.Contains(scripts, by) {
				scripts = append(scripts, by)
			}
			fresh[by] = append(fresh[by], c)
			continue
		}
		reason := ChangedReason(c.by, c.result)
		if c.missing {
			reason = fmt.Sprintf("post-processed by %s, but does not exist", by)
		}
		a.NotCompared = append(a.NotCompared, tree.NotCompared{Kind: kinds[c.generator], Tool: strings.TrimSpace(Tool + " " + Version(settings, c.call)), Paths: []string{c.path}, Reason: reason})
	}
	for _, by := range scripts {
		some := fresh[by]
		a.Notes = append(a.Notes, FreshNote(some[0].path, len(some), by, loosest(some)))
	}
}

// aScript is what changes files where the settings do not name it.
const aScript = "a script"

// ChangedReason says why a file is not compared that a script changes.
func ChangedReason(by *config.PostProcessed, r postprocess.Result) string {
	return fmt.Sprintf("post-processed by %s, and differs from the generated content before that: %s", cmp.Or(by.By, aScript), text.FirstSaid(r.Differences, shownDifferences))
}

// FreshNote says that files are as they should be, though a script changes them.
func FreshNote(first string, count int, by string, how postprocess.Relation) string {
	return fmt.Sprintf("%s: up to date (post-processed by %s; compared: %s)", text.AndMore(first, count-1), by, how)
}

// kinds are the kinds of code of the generators; see [tree.NotCompared].
var kinds = map[string]string{"object": "deepcopy", "crd": "crd", "schemapatch": "crd", "rbac": "rbac", "webhook": "webhook", "applyconfiguration": "applyconfiguration"}

// Version is the version of controller-gen of a call.
func Version(settings config.ControllerGen, call int) string {
	if call >= 0 && call < len(settings.Calls) && settings.Calls[call].Version != "" {
		return settings.Calls[call].Version
	}
	return settings.Version
}

// loosest is how the file that is least like its generated one relates to that.
func loosest(all []comparison) postprocess.Relation {
	order := []postprocess.Relation{postprocess.Equal, postprocess.Commented, postprocess.Imports, postprocess.Tokens, postprocess.Lists, postprocess.Values, postprocess.More}
	at := 0
	for _, c := range all {
		at = max(at, slices.Index(order, c.result.How))
	}
	return order[at]
}
