// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/startup/hugepages"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/workspace"
)

// program is the source of an engine. Its files have the ending .tmpl so that they are no part of this module.
//
//go:embed program wire/wire.go
var program embed.FS

// programModule is the module that an engine is built as.
const programModule = "crdctl.dev/engine"

// source is a file of the program, by its path below the program's module.
type source struct {
	path    string
	content []byte
}

// packages are those of crdctl's that the program has a copy of: hugepages, load, and what that imports.
var packages = []copied{{"hugepages", hugepages.Code}, {"load", load.Code}, {"proc", proc.Code}, {"safefs", safefs.Code}, {"tempdir", tempdir.Code}, {"workspace", workspace.Code}}

// copied is a package of crdctl's that a program has a copy of.
type copied struct {
	name string
	code embed.FS
}

// programFiles are crdctl's own, in the order of their paths.
func programFiles() []source { return ownFiles(program, "program/", packages) }

// ownFiles are the files of a program, and its copies of packages.
func ownFiles(program embed.FS, dir string, packages []copied) []source {
	var files []source
	err := fs.WalkDir(program, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := program.ReadFile(name)
		files = append(files, source{strings.TrimSuffix(strings.TrimPrefix(name, dir), ".tmpl"), content})
		return err
	})
	for _, p := range packages {
		names, listErr := p.code.ReadDir(".")
		err = errors.Join(err, listErr)
		for _, d := range names {
			if strings.HasSuffix(d.Name(), "_test.go") || d.Name() == "embed.go" { // which would embed files that are not copied
				continue
			}
			content, readErr := p.code.ReadFile(d.Name())
			err = errors.Join(err, readErr)
			files = append(files, source{p.name + "/" + d.Name(), moved(upgraded(content))})
		}
	}
	if err != nil {
		panic(err) // what is embedded can be read
	}
	return files
}

// constraint is the build constraint of a file, in what stands before its package clause.
var constraint = regexp.MustCompile(`(?m)^//go:build (.*)$`)

// upgraded lets a file of crdctl's be of crdctl's version of the language, whatever go.mod of the engine says.
func upgraded(content []byte) []byte {
	head, _, _ := bytes.Cut(content, []byte("\npackage "))
	if found := constraint.FindSubmatchIndex(head); found != nil {
		return slices.Concat(content[:found[2]], []byte("go1.26 && ("), content[found[2]:found[3]], []byte(")"), content[found[3]:])
	}
	return slices.Concat([]byte("//go:build go1.26\n\n"), content)
}

// moved has a file import the copies of crdctl's packages in the program's module.
func moved(content []byte) []byte {
	for _, p := range packages {
		content = bytes.ReplaceAll(content, []byte(`"github.com/crdctl/crdctl/internal/`+p.name+`"`), []byte(`"`+programModule+"/"+p.name+`"`))
	}
	return content
}

// write writes the program's files into a directory.
func write(dir string, files []source) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
