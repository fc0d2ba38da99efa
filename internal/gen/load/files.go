// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Files calls each with the files of a directory that belong to the build, in the order of their names.
func (e *Env) Files(dir string, each func(name string, src []byte) error) error {
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
		ok, err := e.Match(dir, name, src)
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

// Sources are the files of a directory that belong to the build, as a load would read them now.
func (e *Env) Sources(dir string) (all []Source, err error) {
	err = e.Files(dir, func(name string, src []byte) error {
		all = append(all, Source{name, sha256.Sum256(src)})
		return nil
	})
	return all, err
}

// Match reports whether a file of a directory with this content belongs to the build. Most files have nothing that could exclude
// them; go/build, which reads the constraints and the imports as the go command does, decides on those that have.
func (e *Env) Match(dir, name string, src []byte) (bool, error) {
	has := func(text string) bool { return bytes.Contains(src, []byte(text)) }
	if !strings.Contains(name, "_") && !has("//go:build") && !has("+build") && !has(`"C"`) {
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
