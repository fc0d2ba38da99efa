package host

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"

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
	err := Generate(g, c)
	for j := range m.files[begin:] {
		if f := &m.files[begin+j]; m.call.Generators[i].Name == "crd" {
			f.Content = annotation.ReplaceAll(f.Content, []byte("${1}"+m.version))
		}
	}
	return err
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

// Close ends the file. Of two with the same place the later counts, as on disk.
func (f *file) Close() error {
	f.Content = f.Bytes()
	for i := range f.files {
		if at := &f.files[i]; at.Generator == f.Generator && at.Package == f.Package && at.Path == f.Path {
			*at = f.File
			return nil
		}
	}
	f.files = append(f.files, f.File)
	return nil
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
