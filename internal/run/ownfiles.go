// SPDX-License-Identifier: Apache-2.0

package run

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/chart"
	"github.com/crdctl/crdctl/internal/run/kustomization"
	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/text"
)

// useFiles adds the files of the one directory of plain manifests that has a workload of the program to those that were found. Several directories,
// or several workloads in one, are reported.
func (i *installer) useFiles(program string) {
	runs := func(o manifest.Object) bool { return pod.RunsProgram(o, program) }
	if slices.Contains([]string{"manager", "controller", "operator"}, path.Base(i.Project.Controller.Package)) { // containers of other projects have such names, too
		module := pod.ProgramName(i.Root, ".")
		runs = func(o manifest.Object) bool {
			return pod.RunsProgram(o, module) || pod.RunsProgram(o, program) && pod.HasImageOf(o, module)
		}
	}
	var found, several []string    // directories with one workload, and files of those with more
	files := map[string][]string{} // by directory
	walkOwn(i.Root, func(dir string) error {
		full := filepath.Join(i.Root, filepath.FromSlash(dir))
		if chart.File(full) != "" {
			return fs.SkipDir
		}
		if kustomization.File(full) == "" {
			all, own := filesWith(i.Root, dir, runs)
			switch len(own) {
			case 0:
			case 1:
				found, files[dir] = append(found, dir), all
			default:
				several = append(several, slices.Compact(own)...)
			}
		}
		return nil
	})
	switch found = unstaged(found); len(found) {
	case 0:
		if len(several) > 0 {
			i.noteSeveral(several)
		}
	case 1:
		c := &i.Project.Controller
		c.Manifests = append(slices.Clone(c.Manifests), files[found[0]]...)
		i.reporter.Note("no manifest in a usual place has the controller's Deployment, so its manifests are %s", text.Shorten(strings.Join(files[found[0]], ", "), 300))
	default:
		i.noteSeveral(found)
	}
}

// noteSeveral reports what has a workload that may be the controller's, where that decides nothing.
func (i *installer) noteSeveral(found []string) {
	have := "have a Deployment"
	if len(found) == 1 {
		have = "has several Deployments"
	}
	i.reporter.Note("%s %s that may be the controller's; name one as controller.manifests in crdctl.yaml, which \"crdctl adopt\" writes", strings.Join(found, ", "), have)
}

// filesWith are the files of a directory with what a controller has in a cluster, and of these the one of each workload that runs its program.
// Other files with objects of other kinds are left out: these may be examples, or what the program works on.
func filesWith(root, dir string, runs func(manifest.Object) bool) (files, own []string) {
	paths, err := manifest.FilesIn(root, filepath.FromSlash(dir))
	if err != nil {
		return nil, nil
	}
	for _, p := range paths {
		objects, err := manifest.Objects(root, p)
		if err != nil || len(objects) == 0 {
			continue
		}
		p = filepath.ToSlash(p)
		for _, o := range objects {
			if pod.IsWorkload(o) && runs(o) {
				own = append(own, p)
			}
		}
		if slices.Contains(own, p) || !slices.ContainsFunc(objects, func(o manifest.Object) bool { return !o.IsCRD() && !slices.Contains(aroundKinds, o.GetKind()) }) {
			files = append(files, p)
		}
	}
	return files, own
}

// aroundKinds are what manifests have around the workload of a controller.
var aroundKinds = slices.Concat([]string{
	"Namespace", "ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding", "ConfigMap", "Secret", "Service", "PriorityClass", "NetworkPolicy", "PodDisruptionBudget",
}, webhookKinds)
