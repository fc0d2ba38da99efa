// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/kustomization"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// These are where projects with controllers keep things: kubebuilder's directories first.
var (
	crdDirs = []string{"config/crd/bases", "config/components/crd/bases", "config/crd", "config/crds", "deploy/crds", "manifests/crds", "crds", "api/crds"}
	// manifestDirs are tried in turn: the first is all that the controller has in a cluster, the others are parts of it.
	wholeDirs  = []string{"config/default"}
	partDirs   = []string{"config/rbac", "config/webhook", "config/components/rbac", "config/components/webhook"}
	sampleDirs = []string{"config/samples"}
)

// Locate fills in where a project keeps its manifests and samples, as far as its settings leave that open, and reports whether they leave
// the manifests open.
func Locate(root string, p *config.Project) (manifests bool) {
	exists := func(dir string) bool {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir)))
		return err == nil && info.IsDir()
	}
	c := &p.Controller
	manifests = len(c.Manifests) == 0
	if manifests {
		for _, dir := range wholeDirs {
			if kustomization.File(filepath.Join(root, filepath.FromSlash(dir))) != "" {
				c.Manifests = []string{dir}
			}
		}
	}
	if len(c.Manifests) == 0 {
		c.Manifests = slices.DeleteFunc(slices.Clone(partDirs), func(dir string) bool { return !exists(dir) })
	}
	if len(c.Samples) == 0 {
		c.Samples = slices.DeleteFunc(slices.Clone(sampleDirs), func(dir string) bool { return !exists(dir) })
	}
	return manifests
}

// crdDirsOf are the directories with the project's own CRDs: those that its settings name, or else the usual ones.
func crdDirsOf(p *config.Project) []string {
	if dirs := p.CRDDirs(); len(dirs) > 0 {
		return dirs
	}
	return crdDirs
}

// managerCRDs are the CRDs of the manifests, with the patches of their kustomizations, and those of the project's directories that are
// not among them. Those of charts are copies of the latter, and may be older, so they are the last.
func (i *installer) managerCRDs() (crds []manifest.CRD, err error) {
	add := func(more []manifest.CRD, err error) error {
		for _, crd := range more {
			if !slices.ContainsFunc(crds, func(known manifest.CRD) bool { return known.Name == crd.Name }) {
				crds = append(crds, crd)
			}
		}
		return err
	}
	among := func(paths []string) error { return add(i.sources.crds(paths)) }
	in := func(dirs []string) (err error) {
		for _, p := range dirs {
			found, unread := manifest.CRDsIn(i.Root, filepath.FromSlash(p))
			for _, crd := range found {
				for at := range crds {
					if known := &crds[at]; known.Name == crd.Name && i.ofKustomization(known.File) { // what is wrong is rarely in its patches
						known.File, known.Line = crd.File, crd.Line
					}
				}
			}
			err = errors.Join(err, add(found, unread))
		}
		return err
	}
	manifests := slices.Clone(i.Project.Controller.Manifests)
	charts := slices.DeleteFunc(slices.Clone(manifests), func(p string) bool { return !i.isChart(p) })
	if err := errors.Join(among(slices.DeleteFunc(manifests, i.isChart)), in(crdDirsOf(i.Project)), among(charts)); err != nil {
		return nil, err
	}
	if len(crds) == 0 {
		if err := in(i.unusual()); err != nil {
			return nil, err
		}
	}
	if i.foreign == nil {
		i.foreign = append([]manifest.CRD{}, foreignCRDs(i.Root, i.modCache, i.Program.Kinds, crds)...)
		i.undownloaded = !i.lookedAgain && slices.ContainsFunc(i.Program.Kinds, func(k mainpkg.Kind) bool {
			dir, _ := moduleDir(i.Root, i.modCache, k.Package)
			_, err := os.Stat(dir)
			return dir != "" && err != nil
		})
		if places := strings.Join(i.placesOf(i.foreign), ", "); places != i.borrowed {
			i.borrowed = places
			i.reporter.Note("the controller uses kinds of other projects; their CRDs are in %s", places)
		}
	}
	return append(crds, i.foreign...), nil
}

// ofKustomization reports whether a file below the root is a kustomization.
func (i *installer) ofKustomization(file string) bool {
	full := filepath.Join(i.Root, file)
	return kustomization.File(filepath.Dir(full)) == full
}

// downloaded reports whether a build may have brought modules whose CRDs were looked for before it, and has them looked for again. It does so
// once: what the first build did not download is not needed, or is in a vendor directory.
func (i *installer) downloaded() bool {
	if !i.undownloaded {
		return false
	}
	i.undownloaded, i.lookedAgain, i.foreign = false, true, nil
	return true
}

// unusual are the files with the project's CRDs where no usual directory has any. They are looked for once.
func (i *installer) unusual() []string {
	if i.elsewhere != nil {
		return i.elsewhere
	}
	i.elsewhere = []string{}
	p, err := project.Open(i.Root, i.Project)
	if p == nil {
		i.reporter.Note("the project's CRDs cannot be looked for: %v", err)
		return nil
	}
	var others []string
	for _, crd := range p.CRDs {
		if !crd.OfTests() {
			i.elsewhere, others = append(i.elsewhere, crd.File), append(others, crd.Others()...)
		}
	}
	slices.Sort(i.elsewhere)
	i.elsewhere = slices.Compact(i.elsewhere)
	switch {
	case len(i.elsewhere) == 0 && len(p.Packages) == 0: // it has no kinds of its own
		return nil
	case len(i.elsewhere) == 0:
		i.reporter.Note("no CRDs of the project's kinds were found; unless the controller creates them, name their files with -f")
		return nil
	}
	i.reporter.Note("the project's CRDs are in %s", strings.Join(i.elsewhere, ", "))
	others = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(others))), project.Tests.MatchString)
	if len(others) > 0 {
		i.reporter.Note("some of them are also in %s; -f FILE chooses", text.Shorten(strings.Join(others, ", "), 200))
	}
	return i.elsewhere
}

// placesOf are the files of CRDs, each once, those of modules by the module's name.
func (i *installer) placesOf(crds []manifest.CRD) (all []string) {
	for _, crd := range crds {
		if place := filepath.ToSlash(below(i.modCache, crd.File)); !slices.Contains(all, place) {
			all = append(all, place)
		}
	}
	return all
}

// watched are the directories of the manifests, beyond those that the settings name, and the files in the root.
func (i *installer) watched() (dirs []string) {
	if i.program == nil {
		return nil
	}
	_, _ = i.objects() // errors are reported when they are applied
	if !i.SkipCRDs {
		_, _ = i.crds() // likewise
	}
	for _, file := range append(i.sources.files(), i.elsewhere...) {
		switch dir := path.Dir(file); {
		case !filepath.IsLocal(filepath.FromSlash(file)):
		case dir == ".":
			dirs = append(dirs, file)
		default:
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range crdDirsOf(i.Project) {
		if info, err := os.Stat(filepath.Join(i.Root, filepath.FromSlash(dir))); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}
