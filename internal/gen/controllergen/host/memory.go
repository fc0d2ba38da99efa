// SPDX-License-Identifier: Apache-2.0

package host

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// memory has the files of a call, in the order in which they were written.
type memory struct {
	call    *Call
	root    string
	scratch string
	version string
	files   []File
}

// output is where one generator of the call writes.
type output struct {
	*memory
	generator int
}

func (m *memory) generate(i int, g genall.Generator, c genall.GenerationContext) error {
	c.OutputRule, c.InputRule = output{m, i}, input{m}
	begin := len(m.files)
	if m.call.Generators[i].Name == "applyconfiguration" {
		return m.onDisk(i, g, c, m.call)
	}
	if m.call.Generators[i].Name != "crd" {
		return Generate(g, c)
	}
	err := m.inAllOrders(i, g, c)
	for j := range m.files[begin:] {
		f := &m.files[begin+j]
		f.Content = m.withVersion(f.Content)
		for k := range f.Also {
			f.Also[k] = m.withVersion(f.Also[k])
		}
	}
	return err
}

// inAllOrders makes CRDs, and what else controller-gen may make of them.
func (m *memory) inAllOrders(i int, g genall.Generator, c genall.GenerationContext) error {
	kinds := disputes(&c)
	for j := range kinds {
		kinds[j].arrange(0)
	}
	if err := Generate(g, c); err != nil {
		return err
	}
	for nth := 1; ; nth++ {
		more := false
		for j := range kinds {
			more = kinds[j].arrange(nth) || more
		}
		if !more {
			return nil
		}
		other := &memory{call: m.call, root: m.root, version: m.version}
		c.OutputRule = output{other, i}
		if err := Generate(g, c); err != nil {
			return err
		}
		m.also(other.files)
	}
}

// also adds the contents of files that other runs may make.
func (m *memory) also(files []File) {
	for _, o := range files {
		for j := range m.files {
			f := &m.files[j]
			if f.Generator != o.Generator || f.Path != o.Path {
				continue
			}
			for _, content := range append(o.Also, o.Content) {
				same := func(other []byte) bool { return bytes.Equal(content, other) }
				if !same(f.Content) && !slices.ContainsFunc(f.Also, same) {
					f.Also = append(f.Also, content)
				}
			}
		}
	}
}

func (m *memory) withVersion(content []byte) []byte {
	return annotation.ReplaceAll(content, []byte("${1}"+m.version))
}

// annotation is the line by which controller-tools says its version: that of the main module, which is not controller-tools here.
var annotation = regexp.MustCompile(`(?m)^(    controller-gen\.kubebuilder\.io/version: ).*$`)

// Open implements genall.OutputRule.
func (o output) Open(p *loader.Package, path string) (io.WriteCloser, error) {
	f := File{Generator: o.generator, Path: path}
	if p != nil && len(p.CompiledGoFiles) > 0 {
		f.Package = filepath.Dir(p.CompiledGoFiles[0])
	}
	return &file{memory: o.memory, File: f}, nil
}

// file is one that is being written.
type file struct {
	bytes.Buffer
	*memory
	File
}

// Close ends the file. Of two with the same place the later counts, as on disk. Which of two CRDs that is, of kinds with the same plural, depends on
// the order of a map before v0.20.0, so the other one may be made as well.
func (f *file) Close() error {
	f.Content = f.Bytes()
	for i := range f.files {
		if at := &f.files[i]; at.Generator == f.Generator && at.Package == f.Package && at.Path == f.Path {
			if f.call.Generators[f.Generator].Name == "crd" && !f.sortsKinds() {
				f.Also = slices.DeleteFunc(append(at.Also, at.Content), func(other []byte) bool { return bytes.Equal(other, f.Content) })
			}
			*at = f.File
			return nil
		}
	}
	f.files = append(f.files, f.File)
	return nil
}

// sortsKinds reports whether controller-gen makes the CRDs in the order of their kinds.
func (m *memory) sortsKinds() bool {
	minor := 0
	_, err := fmt.Sscanf(m.version, "v0.%d.", &minor)
	return err == nil && minor >= 20
}

// input has what earlier generators of the call wrote, and the disk.
type input struct{ *memory }

// OpenForRead implements genall.InputRule.
func (in input) OpenForRead(path string) (io.ReadCloser, error) {
	for _, f := range in.files {
		if dir := in.call.Generators[f.Generator].Dir; f.Package == "" && filepath.Join(dir, f.Path) == path {
			return io.NopCloser(bytes.NewReader(f.Content)), nil
		}
	}
	return os.Open(path)
}
