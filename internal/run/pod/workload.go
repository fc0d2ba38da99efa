// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/workspace"
)

var workloads = []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}}

// IsWorkload reports whether an object has pods that a controller may run in: a Deployment or a StatefulSet.
func IsWorkload(o manifest.Object) bool {
	return slices.Contains(workloads, o.GroupVersionKind().GroupKind())
}

// TakeManager splits objects into those to apply and the workload that runs the controller in a cluster: here it runs on this machine. It is the
// one that kubebuilder would have written, or the only one, or else the only one that runs a program with the name of the controller's.
func TakeManager(objects []manifest.Object, program string) (others []manifest.Object, manager *manifest.Object) {
	var candidates, named []int
	for i, o := range objects {
		if !IsWorkload(o) {
			continue
		}
		if IsManager(o) || only(objects, o) {
			candidates = append(candidates, i)
		}
		if RunsProgram(o, program) {
			named = append(named, i)
		}
	}
	if len(candidates) == 0 && len(named) == 1 {
		candidates = named
	}
	if len(candidates) == 0 {
		return objects, nil
	}
	at := candidates[0]
	for _, c := range candidates {
		if len(named) == 1 && c == named[0] { // of several programs that kubebuilder would have labelled alike
			at = c
		}
	}
	manager = &objects[at]
	for i, o := range objects {
		if !slices.Contains(candidates, i) {
			others = append(others, o)
		}
	}
	return others, manager
}

// only reports whether a workload is the only one.
func only(objects []manifest.Object, o manifest.Object) bool {
	return !slices.ContainsFunc(objects, func(x manifest.Object) bool { return x.Unstructured != o.Unstructured && IsWorkload(x) })
}

// IsManager reports whether a workload is kubebuilder's: it bears the label control-plane, or has a container "manager".
func IsManager(o manifest.Object) bool {
	template, ok := TemplateOf(o)
	return ok && (template.Labels["control-plane"] != "" || slices.ContainsFunc(template.Spec.Containers, isManagerContainer))
}

func isManagerContainer(c corev1.Container) bool { return c.Name == "manager" }

// managerOf is the index of the controller's container in its pod: "manager", or the one that runs its program, or the first.
func managerOf(containers []corev1.Container, program string) int {
	if at := slices.IndexFunc(containers, isManagerContainer); at >= 0 {
		return at
	}
	return max(0, slices.IndexFunc(containers, func(c corev1.Container) bool { return runs(c, program) }))
}

// RunsProgram reports whether a container of a workload runs a program.
func RunsProgram(o manifest.Object, program string) bool {
	template, ok := TemplateOf(o)
	return ok && slices.ContainsFunc(template.Spec.Containers, func(c corev1.Container) bool { return runs(c, program) })
}

// HasImageOf reports whether the image of a container of a workload has a name in it, as in ORG/NAME/manager or ORG/NAME-manager.
func HasImageOf(o manifest.Object, name string) bool {
	template, ok := TemplateOf(o)
	return ok && slices.ContainsFunc(template.Spec.Containers, func(c corev1.Container) bool { return strings.Contains(c.Image, name) })
}

// runs reports whether a container has the name of a program, or its command, or else its image.
func runs(c corev1.Container, program string) bool {
	if len(c.Command) > 0 {
		return c.Name == program || path.Base(c.Command[0]) == program
	}
	image, _, _ := strings.Cut(path.Base(c.Image), "@")
	image, _, _ = strings.Cut(image, ":")
	return c.Name == program || image == program
}

// usualMains are names of directories of main packages that name no program.
var usualMains = []string{"cmd", "main", "src"}

// ProgramName is what the program of a main package is called: as its directory, or as the module where that has a usual name.
func ProgramName(root, dir string) string {
	name, err := workspace.ImportPaths{}.Of(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return path.Base(path.Join(filepath.ToSlash(root), dir))
	}
	for slices.Contains(usualMains, path.Base(name)) {
		name = path.Dir(name)
	}
	return workspace.ModuleName(name)
}

// TemplateOf is the pod template of a workload that has containers.
func TemplateOf(o manifest.Object) (*corev1.PodTemplateSpec, bool) {
	var workload struct {
		Spec struct {
			Template corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &workload)
	return &workload.Spec.Template, err == nil && len(workload.Spec.Template.Spec.Containers) > 0
}
