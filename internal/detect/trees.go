// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/gen/naming"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// clientTree is a tree of generated client code, as its files show it.
type clientTree struct {
	versioned string       // the directory of clientset.go
	scheme    *repo.GoFile // its scheme/register.go
	self      string       // the import path of versioned

	packages []string // import paths of the API packages, in the order of clientset.go
	fake     bool
	protobuf string // the place where a file prefers protobuf
	plurals  []exception
	files    []*repo.GoFile // client-gen's

	listers, informers string // directories; empty where there are none
	informerFile       *repo.GoFile
	singleDirectory    bool // of the informers
	watched            []string
	apply              *applyTree

	keeps string // why parts of the tree stay that nothing generates any more
}

// exception is a kind whose plural is not the one that the rules give.
type exception struct {
	kind, plural, source string
}

var (
	getter    = lazyregexp.New(`^type \w+Getter interface \{\r?\n\s*(\w+)\([^)]*\) (\w+)Interface\r?\n`)
	addScheme = lazyregexp.New(`(?m)\b(\w+)\.AddToScheme,`)
	accessor  = lazyregexp.New(`(?m)^\t\w+\(\) (\w+)\.\w+Interface\r?$`)
)

// readTrees finds all trees of generated client code, by the scheme that each clientset has.
func (d *discovery) readTrees() {
	for _, f := range d.Files {
		if f.Generator == "client-gen" && strings.HasSuffix(f.Path, "/scheme/register.go") {
			if t := d.readTree(f); len(t.packages) > 0 {
				d.trees = append(d.trees, t)
			}
		}
	}
	d.readInformers()
	d.readApplyTrees()
}

func (d *discovery) readTree(scheme *repo.GoFile) *clientTree {
	t := &clientTree{versioned: path.Dir(scheme.Dir), scheme: scheme}
	t.self = d.Modules.ImportPath(t.versioned)
	var inputs []string
	for _, m := range addScheme.FindAllSubmatch(scheme.Data, -1) {
		if in, ok := scheme.Imports()[string(m[1])]; ok && !slices.Contains(inputs, in) {
			inputs = append(inputs, in)
		}
	}
	for _, f := range d.Files {
		if f.Generator != "client-gen" || !text.Below(t.versioned, f.Dir) {
			continue
		}
		t.files = append(t.files, f)
		rel := repo.Rel(t.versioned, f.Path)
		switch {
		case rel == "clientset.go":
			t.packages = d.orderOf(f, inputs)
			// What the tree calls itself is the witness, if a module says nothing or something else.
			for _, in := range f.Imports() {
				if i := strings.LastIndex(in, "/typed/"); i > 0 && strings.HasSuffix(in[:i], "/"+path.Base(t.versioned)) {
					t.self = in[:i]
				}
			}
		case strings.HasPrefix(rel, "fake/"):
			t.fake = true
		case strings.HasPrefix(rel, "typed/") && !strings.Contains(rel, "/fake/"):
			t.readTyped(f)
		}
		if t.protobuf == "" && f.LineWith("gentype.PrefersProtobuf") > 0 {
			t.protobuf = f.At("gentype.PrefersProtobuf")
		}
	}
	// A clientset that is not as expected still has its inputs.
	for _, in := range inputs {
		if !slices.Contains(t.packages, in) {
			t.packages = append(t.packages, in)
		}
	}
	return t
}

// groupDirs is a directory of the typed clients, and the one that the paths of the packages give, where none of the directories is one that they
// give: client-gen ran on a copy of the packages, or through a symbolic link.
func (t *clientTree) groupDirs() (typed, given string) {
	for _, p := range t.packages {
		if !repo.Versioned(p) {
			return "", ""
		}
		dir := path.Join("typed", strings.ToLower(path.Base(path.Dir(p))), strings.ToLower(path.Base(p)))
		if slices.ContainsFunc(t.files, func(f *repo.GoFile) bool { return strings.EqualFold(f.Dir, path.Join(t.versioned, dir)) }) {
			return "", ""
		}
		given = cmp.Or(given, dir)
	}
	for _, f := range t.files {
		if rel := repo.Rel(t.versioned, f.Dir); strings.HasPrefix(rel, "typed/") && path.Base(rel) != "fake" {
			return rel, given
		}
	}
	return "", ""
}

// orderOf is the order in which a clientset has its packages.
func (d *discovery) orderOf(clientset *repo.GoFile, inputs []string) (order []string) {
	for _, m := range accessor.FindAllSubmatch(clientset.Data, -1) {
		typed, ok := d.Modules.Dir(clientset.Imports()[string(m[1])])
		for _, f := range d.ByDir[typed] {
			if !ok || !strings.HasSuffix(f.Path, "_client.go") || f.Generator != "client-gen" {
				continue
			}
			for _, in := range f.Imports() {
				if slices.Contains(inputs, in) && !slices.Contains(order, in) {
					order = append(order, in)
				}
			}
		}
	}
	return order
}

// readTyped looks for a plural that the rules would not give.
func (t *clientTree) readTyped(f *repo.GoFile) {
	end := bytes.Index(f.Data, []byte("Getter interface {"))
	if end < 0 {
		return
	}
	start := 1 + bytes.LastIndexByte(f.Data[:end], '\n')
	m := getter.FindSubmatch(f.Data[start:min(start+1000, len(f.Data))])
	if m == nil {
		return
	}
	plural, kind := string(m[1]), string(m[2])
	if naming.GoPlural(kind) != plural && !slices.ContainsFunc(t.plurals, func(e exception) bool { return e.kind == kind }) {
		t.plurals = append(t.plurals, exception{kind, plural, repo.At(f.Path, f.Line(start)+1)})
	}
}

// hasClient reports whether a client of a kind in a package has all of some methods.
func (t *clientTree) hasClient(importPath string, methods ...string) bool {
	return slices.ContainsFunc(t.files, func(f *repo.GoFile) bool {
		lacks := func(text string) bool { return f.LineWith(text) == 0 }
		return strings.HasPrefix(repo.Rel(t.versioned, f.Path), "typed/") && !lacks("Getter interface {") && !slices.ContainsFunc(methods, lacks) &&
			f.Uses(func(p string) bool { return p == importPath })
	})
}
