// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/chart"
	"github.com/crdctl/crdctl/internal/run/kustomization"
)

// sources read manifests, and build kustomizations and charts again only if one of their files changed, or one that was missing is there.
type sources struct {
	root  string
	built map[string]builtSource // by path
	// had are the CRDs of paths when these were last read without an error.
	had map[string][]manifest.CRD
	// server is what charts see of the API server.
	server func() chart.Server
}

type builtSource struct {
	objects []manifest.Object
	paths   []string // of the files that it is made of
	missing []string // dependencies of a chart
	state   []fileState
	err     error
}

func newSources(root string) *sources {
	return &sources{root: root, built: map[string]builtSource{}, had: map[string][]manifest.CRD{}, server: func() chart.Server { return chart.Server{} }}
}

// read returns the objects of files, directories, kustomizations and charts below the root, CRDs among them. With an error it returns those
// that could be read.
func (s *sources) read(paths []string) (all []manifest.Object, err error) {
	var problems []error
	for _, p := range paths {
		objects, err := s.one(p)
		if _, gone := os.Stat(filepath.Join(s.root, filepath.FromSlash(p))); err != nil && errors.Is(gone, fs.ErrNotExist) { // not one of its parts
			err = fmt.Errorf("%w; it is named in controller.manifests or controller.samples of crdctl.yaml", err)
		}
		problems = append(problems, err)
		all = append(all, objects...)
	}
	return all, errors.Join(problems...)
}

// crds are the CRDs among the objects of paths. While these cannot be read, which applyManifests reports, the CRDs stay as they were: those of
// other files lack the patches of a kustomization, such as the conversion webhook that stored objects need.
func (s *sources) crds(paths []string) ([]manifest.CRD, error) {
	key := strings.Join(paths, "\n")
	objects, err := s.read(paths)
	if err != nil {
		return s.had[key], nil
	}
	crds, err := manifest.CRDsAmong(objects)
	if err == nil {
		s.had[key] = crds
	}
	return crds, err
}

func (s *sources) one(p string) ([]manifest.Object, error) {
	full := filepath.Join(s.root, filepath.FromSlash(p))
	build := s.kustomize
	switch {
	case kustomization.File(full) != "":
	case chart.File(full) != "":
		build = s.render
	default:
		delete(s.built, p)
		return manifest.Objects(s.root, filepath.FromSlash(p))
	}
	known, ok := s.built[p]
	if !ok || !slices.Equal(known.state, stateOf(known.paths)) {
		began := time.Now()
		known = build(p)
		known.state = stateOf(known.paths)
		if slices.ContainsFunc(known.state, func(f fileState) bool { return !f.mtime.Before(began) }) {
			known.state = nil // what was read may be older
		}
		s.built[p] = known
		if known.err != nil && chart.File(full) != "" {
			delete(s.built, p) // the API server may be what it lacks
		}
	}
	var copies []manifest.Object // who applies an object changes it
	for _, o := range known.objects {
		o.Unstructured = o.DeepCopy()
		copies = append(copies, o)
	}
	return copies, known.err
}

func (s *sources) kustomize(p string) (b builtSource) {
	full := filepath.Join(s.root, filepath.FromSlash(p))
	made, err := kustomization.Build(full)
	b.paths, b.err = made.Files, err
	for _, o := range made.Objects {
		b.objects = append(b.objects, manifest.Object{Unstructured: o, File: below(s.root, kustomization.File(full)), Line: 1, Built: true})
	}
	return b
}

func (s *sources) render(p string) builtSource {
	made, err := chart.Build(s.root, filepath.FromSlash(p), s.server())
	return builtSource{objects: made.Objects, paths: made.Files, missing: made.Missing, err: err}
}

// place gives the objects of kustomizations the places of the manifests that they are made of, where the kind and the name tell which.
func (s *sources) place(objects []manifest.Object) {
	key := func(o manifest.Object) string { return o.GroupVersionKind().String() + " " + o.GetName() }
	at := sync.OnceValue(func() map[string]manifest.Object {
		all := map[string]manifest.Object{}
		for _, b := range s.built {
			for _, p := range b.paths {
				if kustomization.IsFile(p) {
					continue
				}
				manifests, _ := manifest.Objects(s.root, below(s.root, p)) // a patch or a value need not be one
				for _, o := range manifests {
					all[key(o)] = o
				}
			}
		}
		return all
	})
	for i := range objects {
		o := &objects[i]
		if !o.Built || !kustomization.IsFile(o.File) {
			continue
		}
		if found, ok := at()[key(*o)]; ok {
			o.File, o.Line = found.File, found.Line
		}
	}
}

// files are those that the kustomizations and charts are made of, relative to the root.
func (s *sources) files() (all []string) {
	for _, b := range s.built {
		for _, f := range b.paths {
			all = append(all, filepath.ToSlash(below(s.root, f)))
		}
	}
	return all
}

// fileState is what tells one state of a file from the next.
type fileState struct {
	size  int64
	mtime time.Time
}

func stateOf(paths []string) (all []fileState) {
	for _, p := range paths {
		var state fileState
		if info, err := os.Stat(p); err == nil {
			state = fileState{info.Size(), info.ModTime()}
		}
		all = append(all, state)
	}
	return all
}

// below is a path relative to the root, where it is below it.
func below(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
