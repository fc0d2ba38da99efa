// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/gengo/v2/generator"

	"github.com/crdctl/crdctl/internal/gen/cache"
)

// memoryTarget is a target that writes nowhere.
type memoryTarget struct {
	generator.Target
	header func(upstream []byte) []byte
	name   string // of the generator
	look   bool   // for types on which it would never end, and generate nothing
	sink   *sink
}

// Dir is a directory that exists: gengo makes the directory of a target before it has anything to put there. The real one
// stays known to the generators, which look next to their output for hand-written expansions.
func (t memoryTarget) Dir() string { return os.TempDir() }

// Header is upstream's with the clock and os.Args taken out.
func (t memoryTarget) Header(filename string) []byte { return t.header(t.Target.Header(filename)) }

// Generators are upstream's, which end on every type; none if the files of the target are kept. The context has the types that the
// target's filter let through.
func (t memoryTarget) Generators(c *generator.Context) []generator.Generator {
	if t.sink.useKept(t.Target, c) {
		return nil
	}
	all := t.Target.Generators(c)
	if find := endless[t.name]; find != nil {
		for i, g := range all {
			all[i] = ending{Generator: g, find: find, only: t.look}
		}
	}
	return all
}

// sink is a file type that hands out the bytes.
type sink struct {
	generator string
	// dirs maps the import path of a target to the directory that its files are for.
	dirs map[string]string
	out  func(File)
	kept *keptTargets         // may be nil
	keys map[string]cache.Key // of the targets that run, by their import paths
}

// useKept hands out the files of a target if they are kept. If not, it remembers the target for those that come.
func (s *sink) useKept(t generator.Target, c *generator.Context) bool {
	if s.kept == nil {
		return false
	}
	key, ok := s.kept.key(t, t.Generators(c), c)
	if !ok {
		return false
	}
	s.keys[t.Path()] = key
	files, ok := s.kept.take(key)
	for _, f := range files {
		s.out(File{Path: filepath.Join(t.Dir(), f.Name), Content: f.Content, Generator: s.generator, formatted: true})
	}
	return ok
}

// AssembleFile puts a file together as gengo's own file type does; formatting is left for later.
func (s *sink) AssembleFile(f *generator.File, _ string) error {
	var b bytes.Buffer
	w := generator.NewErrorTracker(&b)
	generator.NewGoFile().Assemble(w, f)
	if err := w.Error(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	path := filepath.Join(s.dirs[f.PackagePath], f.Name)
	if key, ok := s.keys[f.PackagePath]; ok {
		s.kept.byFile[path] = key
	}
	s.out(File{Path: path, Content: b.Bytes(), Generator: s.generator})
	return nil
}

// Report is the generator of the file that lists violations of the API rules.
const Report = "openapi-gen report"

// report is the file type of what a generator has to say of its input, and would write somewhere else.
type report struct{ *sink }

// AssembleFile hands out the report, which has no header and no path.
func (r report) AssembleFile(f *generator.File, _ string) error {
	r.out(File{Content: bytes.Clone(f.Body.Bytes()), Generator: Report})
	return nil
}
