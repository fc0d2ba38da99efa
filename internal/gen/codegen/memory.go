package codegen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/gengo/v2/generator"
)

// memoryTarget is a target that writes nowhere.
type memoryTarget struct {
	generator.Target
	header func(upstream []byte) []byte
}

// Dir is a folder that exists: gengo makes the folder of a target before it has anything to put there. The real one
// stays known to the generators, which look beside their output for hand-written expansions.
func (t memoryTarget) Dir() string { return os.TempDir() }

// Header is upstream's with the clock and os.Args taken out.
func (t memoryTarget) Header(filename string) []byte { return t.header(t.Target.Header(filename)) }

// sink is a file type that keeps the bytes.
type sink struct {
	generator string
	// dirs maps the import path of a target to the folder that its files are for.
	dirs  map[string]string
	files []File
}

// AssembleFile puts a file together as gengo's own file type does; formatting is left for later.
func (s *sink) AssembleFile(f *generator.File, _ string) error {
	var b bytes.Buffer
	w := generator.NewErrorTracker(&b)
	generator.NewGoFile().Assemble(w, f)
	if err := w.Error(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	s.files = append(s.files, File{Path: filepath.Join(s.dirs[f.PackagePath], f.Name), Content: b.Bytes(), Generator: s.generator})
	return nil
}
