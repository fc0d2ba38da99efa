// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/workspace"
)

// ErrNoCRDs is the error of a base in which no CRD of the project is found.
var ErrNoCRDs = errors.New("no CustomResourceDefinition of the project")

// Baseline is the CRDs of a base.
type Baseline struct {
	crds    State          // of the CRDs that are still in the project
	now     State          // those of the project
	removed []*project.CRD // those that are not
}

// Read finds the CRDs of the project in an older state of it, by their names: files and directories may have had others. Where one is there
// several times, as in a chart, the one in the file that it is in now counts, or else one in a directory that has those of others.
func Read(b *revision.Base, p *project.Project) (*Baseline, error) {
	r := reader{base: b, project: p, now: StateOf(p.CRDs), all: map[string][]*project.CRD{}}
	dirs, files := map[string]bool{}, map[string]bool{}
	for _, crd := range p.CRDs {
		dirs[path.Dir(crd.File)], files[crd.File] = true, true
	}
	for _, dir := range p.Settings.CRDDirs() {
		dirs[dir] = true
	}
	var own, rest []string
	for _, file := range b.Files(".") {
		switch {
		case !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)):
		case !b.Whole || dirs[path.Dir(file)]:
			own = append(own, file)
		case !foreign(file):
			rest = append(rest, file)
		}
	}
	if err := r.read(own, files); err != nil {
		return nil, err
	}
	if b.Whole && r.missing() {
		if err := r.read(rest, nil); err != nil {
			return nil, err
		}
	}
	found := &Baseline{crds: State{}, now: r.now}
	for _, name := range sortedKeys(r.now) {
		if old := r.pick(name, dirs); old != nil {
			found.crds[name] = old
			dirs[path.Dir(old.File)] = true
		}
	}
	groups := map[string]bool{}
	for _, crd := range p.CRDs {
		groups[crd.Spec.Group] = true
	}
	for _, name := range sortedKeys(r.all) {
		i := slices.IndexFunc(r.all[name], func(old *project.CRD) bool {
			dir := path.Dir(old.File)
			return groups[old.Spec.Group] && dirs[dir] || b.Whole && slices.Contains(p.Settings.CRDDirs(), dir)
		})
		if i >= 0 && r.now[name] == nil && !p.HasManifest(name) {
			found.removed = append(found.removed, r.all[name][i])
		}
	}
	if len(found.crds)+len(found.removed) == 0 && len(p.CRDs) > 0 {
		return nil, fmt.Errorf("%s has %w; name a revision in which they are committed, or a directory that they were generated to", b.Name, ErrNoCRDs)
	}
	return found, nil
}

// State are those CRDs of the base that are still in the project.
func (b *Baseline) State() State { return b.crds }

// Removed are those that are not.
func (b *Baseline) Removed() []*project.CRD { return b.removed }

// Same reports whether a CRD is as it was.
func (s State) Same(crd *project.CRD) bool { return s[crd.Name] != nil && same(s[crd.Name], crd) }

// foreign reports whether a file is of other projects, or of tests.
func foreign(file string) bool {
	for dir := range strings.SplitSeq(path.Dir(file), "/") {
		if dir != "." && workspace.Foreign(dir) || dir == "testdata" {
			return true
		}
	}
	return false
}

type reader struct {
	base    *revision.Base
	project *project.Project
	now     State
	all     map[string][]*project.CRD // by name, in the order of their files
}

// read adds the CRDs of files, which it parses at the same time. One that does not parse matters only where a CRD of the project is now.
func (r *reader) read(files []string, matters map[string]bool) error {
	parsed, problems := make([][]*project.CRD, len(files)), make([]error, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		data, err := r.base.ReadFile(file) // one after the other: git answers so
		if err != nil {
			_ = group.Wait()
			return err
		}
		if !bytes.Contains(data, []byte("CustomResourceDefinition")) {
			continue
		}
		group.Go(func() error {
			parsed[i], problems[i] = r.project.Parse(file, data)
			return nil
		})
	}
	_ = group.Wait() // the errors are in problems
	for i, crds := range parsed {
		if err := problems[i]; err != nil && (matters[files[i]] || !r.base.Whole) {
			return fmt.Errorf("%s: %w", r.base.Name, err)
		}
		for _, crd := range crds {
			r.all[crd.Name] = append(r.all[crd.Name], crd)
		}
	}
	return nil
}

func (r *reader) missing() bool {
	for name := range r.now {
		if r.all[name] == nil {
			return true
		}
	}
	return false
}

// pick is the CRD of a name that most likely was the one in the project's own files.
func (r *reader) pick(name string, dirs map[string]bool) *project.CRD {
	var best *project.CRD
	score := -1
	for _, crd := range r.all[name] {
		s := 0
		switch file := r.now[name].File; {
		case crd.File == file:
			s = 4
		case dirs[path.Dir(crd.File)]:
			s = 3
		case strings.Contains(crd.File, "config/crd/"):
			s = 2
		case path.Base(crd.File) == path.Base(file):
			s = 1
		}
		if s > score {
			best, score = crd, s
		}
	}
	return best
}

// gone are the findings of CRDs that were removed.
func (b *Baseline) gone() (all []rule.Finding) {
	for _, old := range b.removed {
		all = append(all, removedCRD(old, old.InManifest("metadata", "name")))
	}
	return all
}
