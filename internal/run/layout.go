// SPDX-License-Identifier: Apache-2.0

package run

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/kustomization"
)

// These are where controller-runtime projects keep things: kubebuilder's directories first.
var (
	crdDirs = []string{"config/crd/bases", "config/components/crd/bases", "config/crd", "config/crds", "deploy/crds", "manifests/crds", "crds", "api/crds"}
	// manifestDirs are tried in turn: the first is all that the controller has in a cluster, the others are parts of it.
	wholeDirs  = []string{"config/default"}
	partDirs   = []string{"config/rbac", "config/webhook", "config/components/rbac", "config/components/webhook"}
	sampleDirs = []string{"config/samples"}
)

// Locate fills in where a controller-runtime project keeps its manifests and samples, as far as its settings leave that open.
func Locate(root string, p *config.Project) {
	exists := func(dir string) bool {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir)))
		return err == nil && info.IsDir()
	}
	c := &p.Controller
	if len(c.Manifests) == 0 {
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
}

// crdDirsOf are the directories with the project's own CRDs: those that its settings name, or else the usual ones.
func crdDirsOf(p *config.Project) []string {
	if dirs := p.CRDDirs(); len(dirs) > 0 {
		return dirs
	}
	return crdDirs
}

// managerCRDs are the CRDs of the manifests, with the patches of their kustomizations, and those of the project's directories that are
// not among them.
func (i *installer) managerCRDs() ([]manifest.CRD, error) {
	objects, err := i.sources.read(i.Project.Controller.Manifests)
	if err != nil {
		objects = nil // applyManifests reports it
	}
	crds, err := manifest.CRDsAmong(objects)
	if err != nil {
		return nil, err
	}
	for _, dir := range crdDirsOf(i.Project) {
		more, err := manifest.CRDsIn(i.Root, filepath.FromSlash(dir))
		if err != nil {
			return nil, err
		}
		for _, crd := range more {
			if !slices.ContainsFunc(crds, func(known manifest.CRD) bool { return known.Name == crd.Name }) {
				crds = append(crds, crd)
			}
		}
	}
	if i.foreign == nil {
		i.foreign = append([]manifest.CRD{}, foreignCRDs(i.Root, i.modCache, i.Manager.Kinds, crds)...)
		if len(i.foreign) > 0 {
			i.reporter.Note("the controller uses kinds of other projects; their CRDs are in %s", strings.Join(i.placesOf(i.foreign), ", "))
		}
	}
	return append(crds, i.foreign...), nil
}

// placesOf are the files of CRDs, those of modules by the module's name.
func (i *installer) placesOf(crds []manifest.CRD) (all []string) {
	for _, crd := range crds {
		all = append(all, filepath.ToSlash(below(i.modCache, crd.File)))
	}
	return all
}

// watched are the directories of the manifests, beyond those that the settings name.
func (i *installer) watched() (dirs []string) {
	if i.manager == nil {
		return nil
	}
	_, _ = i.objects() // errors are reported when they are applied
	for _, file := range i.sources.files() {
		if dir := path.Dir(file); filepath.IsLocal(filepath.FromSlash(dir)) && dir != "." {
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
