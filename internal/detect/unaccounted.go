// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// Unaccounted are the Go files of the generators that crdctl runs which it neither makes, as made has it, nor says anything about: an answer
// that leaves them out would seem to cover them.
func (f *Found) Unaccounted(made func(path string) bool) []tree.NotCompared {
	type maker struct{ tool, kind string }
	by := map[maker][]string{}
	for file, tool := range f.generated {
		told := func(u Finding) bool {
			place, _, _ := strings.Cut(u.Place, ":")
			return place == file || strings.Contains(u.Text, "unchanged") && text.Below(path.Dir(place), file) // of a tree
		}
		listed := func(n tree.NotCompared) bool { return slices.Contains(n.Paths, file) }
		if !made(file) && !slices.ContainsFunc(f.NotCompared, listed) && !slices.ContainsFunc(f.Unread, told) {
			m := maker{tool, strings.TrimSuffix(tool, "-gen")}
			if tool == controllerGen {
				m.kind = "applyconfiguration"
				if path.Base(file) == helpers[0].file {
					m.kind = "deepcopy"
				}
			}
			by[m] = append(by[m], file)
		}
	}
	var all []tree.NotCompared
	order := func(a, b maker) int { return cmp.Or(strings.Compare(a.tool, b.tool), strings.Compare(a.kind, b.kind)) }
	for _, m := range slices.SortedFunc(maps.Keys(by), order) {
		all = append(all, tree.NotCompared{Kind: m.kind, Tool: m.tool, Paths: slices.Sorted(slices.Values(by[m])), Reason: "nothing that crdctl can read says how it is generated"})
	}
	return all
}

// leaveMains lists the files of code-generator's programs that were run from their main.go, as "go run vendor/k8s.io/code-generator/cmd/client-gen/main.go"
// does: such a program calls itself main, and crdctl writes its name.
func (d *discovery) leaveMains() {
	by := map[string][]string{}
	for _, f := range d.Files {
		if f.Generator != "main" {
			continue
		}
		switch {
		case f.LineWith(") DeepCopyInto(out *") > 0:
			by["deepcopy"] = append(by["deepcopy"], f.Path)
		case strings.Contains(f.Path, "/clientset/"):
			by["client"] = append(by["client"], f.Path)
		case strings.Contains(f.Path, "/informers/"):
			by["informer"] = append(by["informer"], f.Path)
		case strings.Contains(f.Path, "/listers/"):
			by["lister"] = append(by["lister"], f.Path)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		d.notCompared(kind, kind+"-gen", by[kind], "it was made by a main.go that was run as a file, and bears the name main; run the package instead, and generate again")
	}
}

// readGenerated notes which files the generators that crdctl runs made.
func (d *discovery) readGenerated() {
	d.found.generated = map[string]string{}
	for _, f := range d.Files {
		if f.Generator == controllerGen || slices.Contains(gengoTools, f.Generator) {
			d.found.generated[f.Path] = f.Generator
		}
	}
}
