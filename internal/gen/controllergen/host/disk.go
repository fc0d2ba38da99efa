// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/genall"
)

// HiddenYear stands for the word YEAR in the headers of generators that would put the year of the clock in its place.
const HiddenYear = "@crdctl:the-word-year@"

// Load loads packages for the generator of apply configurations, which otherwise does so itself, once for each root. It is set in
// engines only: there the working directory can be that of the call. partial reports whether more was needed than was loaded; then
// all may be run again with whole packages.
var Load func(paths []string, whole bool) (partial func() bool, err error)

// deep is so far down that no package of a project leads out of it.
const deep = "out/1/2/3/4/5/6/7/8/9"

// onDisk runs the generator of apply configurations, which writes next to the sources whatever the output rule says: the roots are
// said to be in the scratch directory, and what is there afterwards is read.
func (m *memory) onDisk(i int, g genall.Generator, c genall.GenerationContext, call *Call) error {
	base := filepath.Join(m.scratch, filepath.FromSlash(deep))
	var paths []string
	real := map[*string]string{}
	for _, root := range c.Roots {
		dir := directory(root.Package)
		if dir == nil {
			return errors.New("this version of controller-gen has no apply configurations")
		}
		rel, err := filepath.Rel(m.root, *dir)
		if err != nil {
			return err
		}
		real[dir] = *dir
		*dir = filepath.Join(base, rel)
		paths = append(paths, root.PkgPath)
	}
	defer func() {
		for field, dir := range real {
			*field = dir
		}
	}()
	if len(paths) == 0 {
		return nil
	}
	if err := enter(call); err != nil {
		return err
	}
	partial, err := Load(paths, false)
	if err == nil {
		err = Generate(g, c)
	}
	if err != nil || partial() {
		if err := os.RemoveAll(filepath.Join(m.scratch, "out")); err != nil {
			return err
		}
		if _, err := Load(paths, true); err != nil {
			return err
		}
		if err := Generate(g, c); err != nil {
			return err
		}
	}
	return m.gather(i, base)
}

// enter makes the process what the call is to run in.
func enter(call *Call) error {
	for _, variable := range call.Env {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return os.Chdir(call.Dir)
}

// gather takes the files below the scratch directory.
func (m *memory) gather(i int, base string) error {
	top := filepath.Join(m.scratch, "out")
	files := os.DirFS(top)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(base, filepath.Join(top, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		m.files = append(m.files, File{Generator: i, Package: m.root, Path: rel, Content: bytes.ReplaceAll(content, []byte(HiddenYear), []byte("YEAR"))})
		return nil
	})
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(top)
	}
	return err
}
