// SPDX-License-Identifier: Apache-2.0

package change

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

// addFiles compares the renderings before and after with what is on disk, file by file.
func (p *Plan) addFiles(disk fs.FS, before, after *tree.Tree) error {
	var problems []error
	for _, name := range paths(before, after) {
		if err := p.addFile(disk, before, after, name); err != nil && !slices.ContainsFunc(problems, func(e error) bool { return e.Error() == err.Error() }) {
			problems = append(problems, err) // many files may have the same one in their way
		}
	}
	return errors.Join(problems...)
}

func paths(trees ...*tree.Tree) []string {
	var all []string
	for _, t := range trees {
		all = append(all, t.Paths()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inTheWay is the file that is where a directory of name is to be, and name itself if there is none.
func inTheWay(disk fs.FS, name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := fs.Stat(disk, dir); err == nil {
			if !info.IsDir() {
				return dir
			}
			break
		}
	}
	return name
}

func (p *Plan) addFile(disk fs.FS, before, after *tree.Tree, name string) error {
	was, inBefore := before.Content(name)
	is, inAfter := after.Content(name)
	if inBefore && inAfter && bytes.Equal(was, is) {
		return nil
	}
	now, err := fs.ReadFile(disk, name)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return fmt.Errorf("%s: %w; move it away", inTheWay(disk, name), errors.Unwrap(err))
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
		return fmt.Errorf("%s: the scaffold's change does not merge with your edits: %w; edit the file manually", name, err)
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
