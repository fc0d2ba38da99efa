// Package reshape brings the files that a user owns from one rendering of their scaffold to another: a kind more or less, or
// newer templates. What the user made of them stays.
//
// It decides, and writes nothing; it does not know what a scaffold is: it is handed the two renderings.
package reshape

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/scaffold/merge"
	"github.com/crdctl/crdctl/internal/tree"
)

// Plan is what becomes of the files. All paths are sorted.
type Plan struct {
	// Tree has the files that change, and those that go.
	Tree *tree.Tree
	// Merged are files of the user's in which lines change.
	Merged []string
	// Conflicts are files in which the user and the templates changed the same lines, with the number of such places.
	Conflicts map[string]int
	// InTheWay are new files in whose place there are others.
	InTheWay []string
	// Edited are files that would go, but for what the user changed in them.
	Edited []string
	// Gone are files that would change, but that the user removed.
	Gone []string
}

// New compares the renderings before and after with what is on disk.
func New(disk fs.FS, before, after *tree.Tree) (*Plan, error) {
	p := &Plan{Tree: tree.New(), Conflicts: map[string]int{}}
	var problems []error
	for _, name := range paths(before, after) {
		problems = append(problems, p.file(disk, before, after, name))
	}
	return p, errors.Join(problems...)
}

func paths(trees ...*tree.Tree) []string {
	var all []string
	for _, t := range trees {
		all = append(all, t.Paths()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (p *Plan) file(disk fs.FS, before, after *tree.Tree, name string) error {
	was, inBefore := before.Content(name)
	is, inAfter := after.Content(name)
	if inBefore && inAfter && bytes.Equal(was, is) {
		return nil
	}
	now, err := fs.ReadFile(disk, name)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return fmt.Errorf("%s: %w; move away what is there", name, errors.Unwrap(err))
	}
	switch {
	case !inAfter && absent:
	case !inAfter && !bytes.Equal(now, was):
		p.Edited = append(p.Edited, name)
	case !inAfter:
		p.Tree.Remove(name)
	case !inBefore && absent:
		return p.Tree.Add(name, is)
	case bytes.Equal(now, is):
	case !inBefore:
		p.InTheWay = append(p.InTheWay, name)
	case absent:
		p.Gone = append(p.Gone, name)
	default:
		return p.merge(name, was, now, is)
	}
	return nil
}

// merge brings both changes of a file together. Without a conflict, what comes out must be what it was: Go, or YAML.
func (p *Plan) merge(name string, was, now, is []byte) error {
	merged, err := merge.Files(name, was, now, is)
	if err != nil {
		return err
	}
	if bytes.Equal(merged.Content, now) {
		return nil
	}
	if merged.Conflicts > 0 {
		p.Conflicts[name] = merged.Conflicts
	} else if err := parses(name, merged.Content); err != nil && parses(name, now) == nil {
		return fmt.Errorf("%s: the change of the scaffold does not fit what you made of the file: %w; change the file by hand", name, err)
	}
	p.Merged = append(p.Merged, name)
	return p.Tree.Add(name, merged.Content)
}

func parses(name string, content []byte) error {
	switch path.Ext(name) {
	case ".go":
		_, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		return err
	case ".yaml", ".yml":
		var doc any
		return yaml.Unmarshal(content, &doc)
	}
	return nil
}
