// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/controllergen"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
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
			if path.Base(file) == helpers[0].file {
				m.kind = "deepcopy"
			} else if tool == controllergen.Name {
				m.kind = "applyconfiguration"
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

// versioned is the name of a generator that is installed with its version.
var versioned = lazyregexp.New(`^([a-z-]+-gen)[-_]v?\d[\w.-]*$`)

// leaveRenamed lists the files of code-generator's programs that bear another name than crdctl writes. One that was run from its main.go, as "go run
// vendor/k8s.io/code-generator/cmd/client-gen/main.go" does, calls itself main. A program with Rancher's generators bears the name of its directory, or
// main.
func (d *discovery) leaveRenamed() {
	renamed := map[string][]string{}
	for _, f := range d.Files {
		if m := versioned.FindStringSubmatch(f.Generator); m != nil && slices.Contains(repo.GengoTools, m[1]) {
			renamed[f.Generator] = append(renamed[f.Generator], f.Path)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(renamed)) {
		tool := versioned.FindStringSubmatch(name)[1]
		d.List(strings.TrimSuffix(tool, "-gen"), tool, renamed[name], "the program that made it was called "+name+", and has its files say so; install it as "+tool+", and generate again")
	}
	program, names, reason := d.wrangler(), []string{"main"}, "it was made by a main.go that was run as a file, and bears the name main; run the package instead, and generate again"
	if program != "" {
		names, reason = append(names, path.Base(path.Dir(program))), program+" generates it, a program of the repository with Rancher's wrangler"
	}
	by := map[string][]string{}
	for _, f := range d.Files {
		if !slices.Contains(names, f.Generator) {
			continue
		}
		switch {
		case hasCopies(f):
			by["deepcopy"] = append(by["deepcopy"], f.Path)
		case strings.Contains(f.Path, "/clientset/"), program != "" && strings.Contains(f.Path, "/controllers/"):
			by["client"] = append(by["client"], f.Path)
		case strings.Contains(f.Path, "/informers/"):
			by["informer"] = append(by["informer"], f.Path)
		case strings.Contains(f.Path, "/listers/"):
			by["lister"] = append(by["lister"], f.Path)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(by)) {
		d.List(kind, kind+"-gen", by[kind], reason)
	}
}

// wrangler is the main file of a program of the repository's own with the generators of Rancher's wrangler, or "".
func (d *discovery) wrangler() string {
	for _, f := range d.Files {
		if f.Main && f.Uses(func(p string) bool {
			return strings.HasPrefix(p, "github.com/rancher/wrangler/") && path.Base(p) == controllergen.Name
		}) {
			return f.Path
		}
	}
	return ""
}

// hasCopies reports whether a file has deep copies.
func hasCopies(f *repo.GoFile) bool { return f.LineWith(") DeepCopyInto(out *") > 0 }

// madeByOthers reports whether a program that crdctl does not run makes the deep copies of a package: then it makes its clients as well.
func (d *discovery) madeByOthers(dir string) bool {
	return slices.ContainsFunc(d.ByDir[dir], func(f *repo.GoFile) bool {
		return f.Generator != "" && f.Generator != controllergen.Name && !slices.Contains(repo.GengoTools, f.Generator) && hasCopies(f)
	})
}

// readGenerated notes which files the generators that crdctl runs made, and which deep copies others did, such as operator-sdk before v1.
func (d *discovery) readGenerated() {
	d.generated = map[string]string{}
	for _, f := range d.Files {
		if f.Generator == controllergen.Name || slices.Contains(repo.GengoTools, f.Generator) || f.Generator != "" && path.Base(f.Path) == helpers[0].file && hasCopies(f) {
			d.generated[f.Path] = f.Generator
		}
	}
}
