// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// libraries are the modules of Kubernetes that call each other, and are released together. The first one that a module needs decides which
// version the others should have.
var libraries = []string{
	"k8s.io/client-go", "k8s.io/apimachinery", "k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apiserver", "k8s.io/component-base",
	"k8s.io/code-generator", "k8s.io/kube-aggregator", "k8s.io/kubectl", "k8s.io/cli-runtime", "k8s.io/metrics", "k8s.io/component-helpers",
	"k8s.io/controller-manager", "k8s.io/pod-security-admission", "k8s.io/kubelet",
}

const (
	controllerRuntime = "sigs.k8s.io/controller-runtime"
	// runtimeOffset is the difference between the minor versions of Kubernetes and of the controller-runtime that is made for it.
	runtimeOffset = 12
)

// skews finds versions in go.mod that do not belong together.
func skews(s *Source) (all []rule.Finding) {
	for _, m := range s.controllers() {
		needs := m.requirements()
		var known []requirement
		for _, path := range libraries {
			if q, ok := needs[path]; ok && !q.fork && minor(q.version) > 0 {
				known = append(known, q)
			}
		}
		if len(known) == 0 {
			continue
		}
		all = append(all, librarySkew(m, known)...)
		if q, ok := needs[controllerRuntime]; ok && !q.fork && minor(q.version) > 0 {
			all = append(all, runtimeSkew(m, q, known[0])...)
		}
	}
	return all
}

// librarySkew compares the modules of Kubernetes with the first of those whose minor version most of them have.
func librarySkew(m *Module, known []requirement) (all []rule.Finding) {
	same := map[int]int{} // how many have a minor version
	for _, q := range known {
		same[minor(q.version)]++
	}
	first := known[0]
	for _, q := range known {
		if same[minor(q.version)] > same[minor(first.version)] {
			first = q
		}
	}
	patches := map[string][]string{}
	apart := false
	for _, q := range known {
		if minor(q.version) == minor(first.version) {
			patches[q.version] = append(patches[q.version], q.path)
			continue
		}
		apart = true
		f := rule.New("kubernetes-minor-skew", q.at, m.Path()+": "+q.path, "%s %s and %s %s are of different minor versions", q.path, q.version, first.path, first.version)
		f.Fix = fmt.Sprintf("go get %s@%s", q.path, first.version)
		if minor(q.version) > minor(first.version) {
			f.Fix = fmt.Sprintf("go get %s@%s", first.path, q.version)
		}
		f.Fix += ", and the same for the other modules of Kubernetes."
		if q.indirect {
			f.Severity = rule.Note
		}
		all = append(all, f)
	}
	if versions := slices.SortedFunc(maps.Keys(patches), semver.Compare); len(versions) > 1 && !apart {
		var parts []string
		for _, v := range versions {
			parts = append(parts, v+" ("+text.First(patches[v], 3)+")")
		}
		all = append(all, rule.New("kubernetes-patch-skew", first.at, m.Path()+": "+first.path, "modules of Kubernetes have several patch versions: %s", strings.Join(parts, ", ")))
	}
	return all
}

// runtimeSkew compares controller-runtime with the Kubernetes that it is made for.
func runtimeSkew(m *Module, runtime, library requirement) []rule.Finding {
	made := minor(runtime.version) + runtimeOffset
	apart := minor(library.version) - made
	if apart == 0 {
		return nil
	}
	f := rule.New("controller-runtime-skew", runtime.at, m.Path()+": "+controllerRuntime, "controller-runtime %s is made for v0.%d of the modules of Kubernetes, and %s is %s", runtime.version, made, library.path, library.version)
	if apart == 1 || runtime.indirect {
		f.Severity = rule.Note // a newer Kubernetes often works, and so do those who wait for the release
	}
	if want := minor(library.version) - runtimeOffset; apart > 0 {
		f.Fix = fmt.Sprintf("go get %s@v0.%d", controllerRuntime, want)
	} else {
		f.Fix = fmt.Sprintf("go get %s@v0.%d.0, and the same for the other modules of Kubernetes.", library.path, made)
	}
	return []rule.Finding{f}
}

// core are modules that k8s.io/kubernetes needs at v0.0.0, and whose packages all of its packages import: one that go.mod does not name is
// looked for at that version. Of its other modules, the go command looks at those only that are imported.
var core = []string{"k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/component-base"}

// kubernetesModule finds modules that need k8s.io/kubernetes, and not all that it needs at a version which does not exist.
func kubernetesModule(s *Source) (all []rule.Finding) {
	const kubernetes = "k8s.io/kubernetes"
	for _, m := range s.controllers() {
		needs := m.requirements()
		of, ok := needs[kubernetes]
		if !ok || of.fork {
			continue
		}
		var lacks []string
		replaced := map[string]bool{}
		for _, r := range m.Mod.Replace {
			replaced[r.Old.Path] = true
		}
		for _, path := range core {
			if _, ok := needs[path]; !ok && !replaced[path] {
				lacks = append(lacks, path)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(needs)) {
			if strings.HasPrefix(path, "k8s.io/") && needs[path].version == "v0.0.0" {
				lacks = append(lacks, path)
			}
		}
		if len(lacks) == 0 {
			continue
		}
		f := rule.New("kubernetes-dependency", of.at, m.Path()+": "+kubernetes, "%s %s needs %s at v0.0.0, which does not exist, and nothing replaces it", kubernetes, of.version, text.First(lacks, 3))
		f.Fix = fmt.Sprintf("Do without k8s.io/kubernetes, or add for each of them: replace %s => %s %s.", lacks[0], lacks[0], cmp.Or(strings.Replace(of.version, "v1.", "v0.", 1), "v0.N.P"))
		all = append(all, f)
	}
	return all
}
