package markerlint

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/safefs"
)

// generated is the line by which Go's tools know a file that no one edits.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// read parses the files that have a tag to look at, in the order of their paths.
func read(root string, dirs []string) ([]*file, error) {
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
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var files []*file
	for _, f := range parsed {
		if f != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// list finds the Go files that the go command would not ignore, relative to root, each once.
func list(root string, dirs []string) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	for _, dir := range dirs {
		top := filepath.Join(root, filepath.FromSlash(dir))
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			n := d.Name()
			switch {
			case d.IsDir() && p != top && (n[0] == '.' || n[0] == '_' || n == "vendor" || n == "testdata"):
				return fs.SkipDir
			case d.IsDir() || !d.Type().IsRegular() || !strings.HasSuffix(n, ".go") || strings.HasSuffix(n, "_test.go"):
				return nil
			case n[0] == '.' || n[0] == '_' || seen[p]:
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

// readFile returns nil for a file that has nothing to look at.
func readFile(root, name string) (*file, error) {
	src, err := safefs.ReadFile(filepath.Join(root, name), safefs.MaxFile)
	if err != nil {
		return nil, err
	}
	if !hasTag(src) || isGenerated(src) {
		return nil, nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil //nolint:nilerr // the loader says what is wrong with it
	}
	f := &file{path: filepath.ToSlash(name), fset: fset, syntax: syntax}
	f.place()
	f.collect()
	return f, nil
}

func isGenerated(src []byte) bool {
	head, _, _ := bytes.Cut(src, []byte("\npackage "))
	return generated.Match(head)
}

// hasTag looks for a line that begins like a comment with a tag of ours. It sees more than there is, as in strings.
func hasTag(src []byte) bool {
	block := bytes.Contains(src, []byte("/*"))
	for line := range bytes.Lines(src) {
		line = bytes.TrimLeft(line, " \t")
		rest, comment := bytes.CutPrefix(line, []byte("//"))
		if !comment && !block {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t*/")
		if name, ok := bytes.CutPrefix(rest, []byte("+")); ok && familyOf(string(bytes.TrimSpace(name))) != none {
			return true
		}
	}
	return false
}
