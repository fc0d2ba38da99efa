// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/safefs"
)

// generated is the line by which Go's tools know a file that no one edits.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// read parses the files that have a tag to look at, in the order of their paths.
func read(root string, dirs []string, sources map[string][]byte) ([]*file, error) {
	if sources != nil {
		return readSources(sources), nil
	}
	names, err := list(root, dirs)
	if err != nil {
		return nil, err
	}
	parsed := make([]*file, len(names))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, name := range names {
		g.Go(func() (err error) {
			parsed[i], err = readFile(root, name)
			return err
		})
	}
	err = g.Wait()
	return slices.DeleteFunc(parsed, func(f *file) bool { return f == nil }), err
}

// list finds the Go files that the go command would not ignore, relative to root, each once.
func list(root string, dirs []string) (names []string, err error) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		top := filepath.Join(root, filepath.FromSlash(dir))
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			n := d.Name()
			hidden := n[0] == '.' || n[0] == '_'
			switch {
			case d.IsDir() && p != top && (hidden || n == "vendor" || n == "testdata"):
				return fs.SkipDir
			case !d.Type().IsRegular() || !strings.HasSuffix(n, ".go") || strings.HasSuffix(n, "_test.go") || hidden || seen[p]:
				return nil
			}
			seen[p] = true
			rel, err := filepath.Rel(root, p)
			names = append(names, rel)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// readSources is read of files that are in memory.
func readSources(sources map[string][]byte) (all []*file) {
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if f := parse(name, sources[name]); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// readFile returns nil for a file that has nothing to look at.
func readFile(root, name string) (*file, error) {
	src, err := safefs.ReadFile(filepath.Join(root, name), safefs.MaxFile)
	if err != nil {
		return nil, err
	}
	return parse(filepath.ToSlash(name), src), nil
}

// parse returns nil for a file that has nothing to look at, or that is not Go: the loader says what is wrong with it.
func parse(name string, src []byte) *file {
	head, _, _ := bytes.Cut(src, []byte("\npackage "))
	if generated.Match(head) || !hasTag(src) {
		return nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	f := &file{path: name, fset: fset, syntax: syntax}
	f.place()
	f.collect()
	return f
}

// hasTag sees more than there is, as in strings.
func hasTag(src []byte) bool {
	for line := range bytes.Lines(src) {
		before, after, ok := bytes.Cut(line, []byte("+"))
		if ok && len(bytes.Trim(before, " \t/*")) == 0 && familyOf(string(bytes.TrimSpace(after))) != none {
			return true
		}
	}
	return false
}
