// SPDX-License-Identifier: Apache-2.0

// Package gentest lays out the projects that tests generate for. It is for tests alone, generates nothing.
package gentest

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// Module is the module of each project.
const Module = "example.com/fixture"

// Fixture is a project to generate for.
type Fixture struct {
	// Archive is the txtar file that the project's files are in.
	Archive string
	// Module is the directory of go.mod and go.sum, which are a scaffold's where the archive has none.
	Module string
	// Name is that of the project's directory; empty means "project".
	Name string
	// Linked puts the project behind a symbolic link.
	Linked bool
	// Workspace reports that there is a go.work.
	Workspace bool
	// Prepare makes of the archive what no archive can hold.
	Prepare func(t *testing.T, root string)
	// Files, if any, makes the project instead of an archive.
	Files func(t *testing.T) *tree.Tree
}

// Lay writes the project to a temporary directory and returns its root.
func (f Fixture) Lay(t *testing.T) string {
	t.Helper()
	name := f.Name
	if name == "" {
		name = "project"
	}
	parent := t.TempDir()
	root := filepath.Join(parent, name)
	behind := root
	if f.Linked {
		behind = filepath.Join(parent, "behind")
	}
	require.NoError(t, os.MkdirAll(behind, 0o755))
	if f.Linked {
		require.NoError(t, os.Symlink(behind, root))
	}
	if f.Files == nil {
		Write(t, behind, f.unpack(t))
	} else {
		Write(t, behind, f.Files(t))
	}
	if f.Prepare != nil {
		f.Prepare(t, root)
	}
	return root
}

// LayText writes the files of a txtar archive to a temporary directory and returns it.
func LayText(t *testing.T, archive string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		at := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
		require.NoError(t, os.WriteFile(at, f.Data, 0o644))
	}
	return root
}

func (f Fixture) unpack(t *testing.T) *tree.Tree {
	t.Helper()
	archive, err := txtar.ParseFile(f.Archive)
	require.NoError(t, err)
	files := tree.New()
	for _, file := range archive.Files {
		Add(t, files, file.Name, file.Data)
	}
	for name, data := range ModuleFiles(t) {
		if name != "hack/boilerplate.go.txt" {
			name = path.Join(f.Module, name)
		}
		if _, ok := files.Content(name); !ok {
			Add(t, files, name, data)
		}
	}
	return files
}

// ModuleFiles are what a project needs besides its types and settings: a scaffold's go.mod, go.sum and header.
func ModuleFiles(t *testing.T) map[string][]byte {
	t.Helper()
	fill := map[string]string{"{{ .Module }}": Module, "{{ .ProjectName }}": path.Base(Module)}
	files := map[string][]byte{}
	for _, name := range []string{"go.mod", "go.sum", "hack/boilerplate.go.txt"} {
		data, err := templates.FS.ReadFile("project/" + name + ".tmpl")
		require.NoError(t, err)
		for from, to := range fill {
			data = bytes.ReplaceAll(data, []byte(from), []byte(to))
		}
		files[name] = data
	}
	return files
}

// Settings are those of a project's crdctl.yaml.
func Settings(t *testing.T, root string) *config.Project {
	t.Helper()
	p, err := config.Load(root)
	require.NoError(t, err)
	return p
}

// Add adds a file to a tree.
func Add(t *testing.T, files *tree.Tree, path string, data []byte) {
	t.Helper()
	require.NoError(t, files.Add(path, data))
}

// Write writes a tree below root.
func Write(t *testing.T, root string, files *tree.Tree) {
	t.Helper()
	changes, err := files.Diff(root)
	if err == nil {
		err = tree.Write(root, changes)
	}
	require.NoError(t, err)
}

// CompareLines compares the indented lines of an error, which are those with places.
func CompareLines(t *testing.T, name string, err error, want []string) {
	t.Helper()
	var got []string
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			if at, ok := strings.CutPrefix(line, "  "); ok {
				got = append(got, strings.TrimSuffix(at, "\n"))
			}
		}
	}
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"), "%s:\n%v\nwant the lines", name, err)
}
