// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"maps"
	"path"
	"regexp"
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
			loads := func(o *genCall) bool {
				at, writes := o.OutputDir(name)
				return writes && at == dir && slices.Contains(o.Generators(), name) && r.markersApart(o, name) == ""
			}
			if elsewhere := r.markersApart(c, name); elsewhere != "" && r.Exists(file) && !slices.ContainsFunc(calls, loads) {
				Drop(&c.ControllerGenCall, name)
				if !r.Listed(file) { // of an earlier call
					r.List(name, Name, []string{file}, "the call at "+c.at+" does not load "+elsewhere+", which has the markers; it stays unchanged")
				}
			}
		}
	}
}

// markersApart is a package with markers of a generator that a call does not load; "" where the call loads others that have some, or packages
// that are not here.
func (r *Reader) markersApart(c *genCall, name string) (dir string) {
	required := func(p string) bool {
		_, here := r.Modules.Dir(strings.TrimSuffix(p, "/..."))
		return !here && !strings.HasPrefix(p, ".") && !strings.HasPrefix(p, "/")
	}
	if slices.ContainsFunc(c.Paths, required) {
		return ""
	}
	for _, f := range r.Files {
		// The tags of generated files are not read, and their markers count all the same.
		has := f.Tags[name] > 0 || f.Generator != "" && bytes.Contains(f.Data, []byte("+kubebuilder:"+name+":"))
		switch {
		case !has:
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
		known := func(c *genCall) bool { return c.CRD != nil && r.hasType(c, m) }
		declared := func(c *genCall) bool { return c.CRD != nil && r.declares(c, m) } // reads sources
		i := slices.IndexFunc(calls, func(c *genCall) bool { return r.madeByCall([]*genCall{c}, m) })
		if i >= 0 && !slices.ContainsFunc(calls, known) && !slices.ContainsFunc(calls, declared) && !r.Listed(m.Path) {
			by[calls[i]] = append(by[calls[i]], m.Path)
		}
	}
	for _, c := range calls {
		if files := by[c]; len(files) > 0 {
			r.List("crd", Name, files, "the call at "+c.at+", which writes to this directory, does not load their types; they stay unchanged")
		}
	}
}

// declares reports whether a package that a call loads, of the group of a CRD, declares its kind without the markers by which kinds are known.
func (r *Reader) declares(c *genCall, m repo.Manifest) bool {
	_, group, _ := strings.Cut(m.Name, ".")
	declaration := regexp.MustCompile(`(?m)^(type ` + regexp.QuoteMeta(m.Kind) + `\b|\t` + regexp.QuoteMeta(m.Kind) + ` struct\b)`)
	for dir := range r.Kinds[group] {
		if covers(c, r.Modules, dir) && slices.ContainsFunc(slices.Collect(maps.Values(r.GoSources(dir))), declaration.Match) {
			return true
		}
	}
	return false
}
