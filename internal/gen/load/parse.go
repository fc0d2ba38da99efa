package load

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/safefs"
)

// parse reads the files of a package, drops what is not needed of them, and starts with what is left of its imports.
func (l *loader) parse(ctx context.Context, path string, n *node) error {
	dir, mod, std, err := l.env.find(path, n.std)
	if err != nil {
		return err
	}
	n.std = std
	n.local = !std && l.env.Local(dir)
	n.pkg = &packages.Package{ID: path, PkgPath: path, Fset: l.fset, Module: mod, Imports: map[string]*packages.Package{}}
	mode := parser.SkipObjectResolution
	if !std {
		mode |= parser.ParseComments // Go's own have no tags
	}
	err = l.env.goFiles(dir, func(name string, src []byte) error {
		file := filepath.Join(dir, name)
		f, err := l.parseFile(file, src, mode, n.local)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		if n.pkg.Name == "" {
			n.pkg.Name = f.Name.Name
		}
		if f.Name.Name != n.pkg.Name {
			return fmt.Errorf("%w: the folder has packages %s and %s", ErrUnsupported, n.pkg.Name, f.Name.Name)
		}
		if n.local {
			n.sources = append(n.sources, Source{name, sha256.Sum256(src)})
		}
		n.pkg.GoFiles = append(n.pkg.GoFiles, file)
		n.pkg.Syntax = append(n.pkg.Syntax, f)
		prune(f, l.whole[path])
		dropImports(f)
		for _, imported := range f.Imports {
			l.resolve(ctx, imported, n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(n.pkg.GoFiles) == 0 {
		return fmt.Errorf("%w: no Go files for this build", ErrUnsupported)
	}
	return nil
}

// resolve notes an import and starts to load it.
func (l *loader) resolve(ctx context.Context, spec *ast.ImportSpec, n *node) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "C" || path == "unsafe" {
		return
	}
	full := path
	if first, _, _ := strings.Cut(path, "/"); n.std && strings.Contains(first, ".") {
		full = "vendor/" + path // as the go command calls what Go itself vendors
	}
	n.names[path] = full
	l.want(ctx, full, n)
}

// goFiles reads the files of a folder that belong to the build, in the order of their names.
func (e *Env) goFiles(dir string, each func(name string, src []byte) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' || entry.IsDir() {
			continue
		}
		if strings.Contains(name, "_") && !e.goodName(dir, name) {
			continue // not read: many of Go's own are for other systems
		}
		file := filepath.Join(dir, name)
		if err := Readable(file, entry.Type()); err != nil {
			return err
		}
		src, err := safefs.ReadFile(file, safefs.MaxFile)
		if err != nil {
			return err
		}
		ok, err := e.matches(dir, name, src)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		if ok {
			if err := each(name, src); err != nil {
				return err
			}
		}
	}
	return nil
}

// Readable refuses what is called a Go file and is a named pipe, a socket or a device: opening one blocks for ever, the
// go command too. kind is what the listing of its directory says of it.
func Readable(file string, kind fs.FileMode) error {
	if kind&fs.ModeSymlink != 0 {
		if info, err := os.Stat(file); err == nil {
			kind = info.Mode()
		}
	}
	if kind&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0 {
		return fmt.Errorf("%s is not a regular file, but %s; remove it, or give it a name that does not end in .go", file, kindOf(kind))
	}
	return nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Source is a file of a package as it was read.
type Source struct {
	Name string
	Sum  [sha256.Size]byte
}

// Sources are the files of a folder that belong to the build, as a load would read them now.
func (e *Env) Sources(dir string) (all []Source, err error) {
	err = e.goFiles(dir, func(name string, src []byte) error {
		all = append(all, Source{name, sha256.Sum256(src)})
		return nil
	})
	return all, err
}

// matches tells whether a file belongs to the build. Most files have nothing that could exclude them; go/build, which reads
// the constraints and the imports as the go command does, decides on those that have.
func (e *Env) matches(dir, name string, src []byte) (bool, error) {
	head := header(src) // not the text up to the first "package": that word may begin a line of a comment
	if !strings.Contains(name, "_") && !bytes.Contains(head, []byte("//go:build")) && !bytes.Contains(head, []byte("+build")) && !bytes.Contains(src, []byte(`"C"`)) {
		return true, nil
	}
	c := e.build
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	return c.MatchFile(dir, name)
}

// goodName reports whether a file may belong to the build by its name: for this system and processor.
func (e *Env) goodName(dir, name string) bool {
	c := e.build
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }
	ok, err := c.MatchFile(dir, name)
	return ok || err != nil
}

// sortedKeys is for walks that must not depend on the order of a map.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
