// SPDX-License-Identifier: Apache-2.0

package run

import (
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/kustomization"
	"github.com/crdctl/crdctl/internal/run/pod"
)

// useKustomization takes the one kustomization of the project that has a workload of kubebuilder's or one of the program for its manifests,
// next to those that were found and that it does not have. Others say which they are, and leave the manifests as they are.
func (i *installer) useKustomization(program string) {
	c := &i.Project.Controller
	built := map[string]builtSource{}
	users := map[string]int{} // kustomizations that read a file
	for _, dir := range kustomizationsBelow(i.Root) {
		if b := i.sources.kustomize(dir); b.err == nil {
			built[dir] = b
			for _, file := range slices.Compact(slices.Sorted(slices.Values(b.paths))) {
				users[file]++
			}
		}
	}
	fileOf := func(dir string) string {
		real, err := filepath.EvalSymlinks(kustomization.File(filepath.Join(i.Root, filepath.FromSlash(dir)))) // as kustomize reads it
		if err != nil {
			return ""
		}
		return real
	}
	var found []string
	for dir, b := range built {
		base := users[fileOf(dir)] > 1 // also of another one
		if !base && slices.ContainsFunc(b.objects, func(o manifest.Object) bool {
			return pod.IsWorkload(o) && (pod.IsManager(o) || pod.RunsProgram(o, program))
		}) {
			found = append(found, dir)
		}
	}
	slices.Sort(found)
	if installed := slices.DeleteFunc(slices.Clone(found), func(dir string) bool { return slices.ContainsFunc(built[dir].objects, isBundle) }); len(installed) > 0 {
		found = installed
	}
	switch len(found) {
	case 0:
		i.useFiles(program)
	case 1:
		b := built[found[0]]
		c.Manifests = append(slices.DeleteFunc(slices.Clone(c.Manifests), func(dir string) bool { return slices.Contains(b.paths, fileOf(dir)) }), found[0])
		i.reporter.Note("no manifest in a usual place has the controller's Deployment, so its manifests are those of the kustomization %s", place(found[0]))
	default:
		i.noteSeveral(found)
	}
}

// isBundle reports whether an object is that of a bundle for the Operator Lifecycle Manager, from which a project's release is made: it is not
// applied as it is, and names again what other kustomizations have.
func isBundle(o manifest.Object) bool { return o.GetKind() == "ClusterServiceVersion" }

// kustomizationsBelow are the directories of the kustomizations that may be the project's own.
func kustomizationsBelow(root string) (dirs []string) {
	walkOwn(root, func(dir string) error {
		if kustomization.File(filepath.Join(root, filepath.FromSlash(dir))) != "" {
			dirs = append(dirs, dir)
		}
		return nil
	})
	return dirs
}

// place is a directory as messages name it.
func place(dir string) string {
	if dir == "." {
		return "in the project's directory"
	}
	return dir
}
