// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// leaveUncovered lists what the paths of calls do not have, or have no more: controller-gen keeps the files that it made before.
func (r *Reader) leaveUncovered(calls []*genCall, own []repo.Manifest) {
	r.leaveUncoveredCRDs(calls, own)
	for _, c := range calls {
		for _, name := range []string{"rbac", "webhook"} {
			dir, ok := c.OutputDir(name)
			if !ok || !slices.Contains(c.Generators(), name) {
				continue
			}
			file := path.Join(dir, "manifests.yaml")
			if name == "rbac" {
				file = path.Join(dir, roleFile(c))
			}
			other := func(o *genCall) bool {
				at, writes := o.OutputDir(name)
				return o != c && writes && at == dir && slices.Contains(o.Generators(), name)
			}
			if elsewhere := r.markersApart(c, name); elsewhere != "" && r.Exists(file) && !slices.ContainsFunc(calls, other) {
				Drop(&c.ControllerGenCall, name)
				r.List(name, Name, []string{file}, "the call at "+c.at+" does not load "+elsewhere+", which has the markers; it stays unchanged")
			}
		}
	}
}

// markersApart is a package with markers of a generator that a call does not load, where it loads none that has some; "" elsewhere.
func (r *Reader) markersApart(c *genCall, name string) (dir string) {
	for _, f := range r.Files {
		// The tags of generated files are not read, and their markers count all the same.
		has := f.Tags[name] > 0 || f.Generator != "" && bytes.Contains(f.Data, []byte("+kubebuilder:"+name+":"))
		switch {
		case !has || strings.HasSuffix(f.Path, "_test.go"):
		case covers(c, r.Modules, f.Dir):
			return ""
		case dir == "" || f.Dir < dir:
			dir = f.Dir
		}
	}
	return dir
}

// leaveUncoveredCRDs lists the CRDs in directories that calls write to, of types that no call loads.
func (r *Reader) leaveUncoveredCRDs(calls []*genCall, own []repo.Manifest) {
	by := map[*genCall][]string{}
	for _, m := range own {
		loads := func(c *genCall) bool { return c.CRD != nil && r.hasType(c, m) }
		if i := slices.IndexFunc(calls, func(c *genCall) bool { return r.madeByCall([]*genCall{c}, m) }); i >= 0 && !slices.ContainsFunc(calls, loads) && !r.Listed(m.Path) {
			by[calls[i]] = append(by[calls[i]], m.Path)
		}
	}
	for _, c := range calls {
		if files := by[c]; len(files) > 0 {
			r.List("crd", Name, files, "the call at "+c.at+", which writes to this directory, does not load their types; they stay unchanged")
		}
	}
}
