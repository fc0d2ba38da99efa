// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// object asks for the methods of an API object, of which objectMethod is one, declaration begins that of a type, registration that of what registers
// the types of a package, and defaulting a function that sets defaults.
var (
	object       = lazyregexp.New(`(?m)^//\s*\+k8s:deepcopy-gen:interfaces=\S*runtime\.Object\b`)
	objectMethod = lazyregexp.New(`(?m)^func \(.*\) DeepCopyObject\(\)`)
	defaulting   = lazyregexp.New(`(?m)^func SetDefaults_`)
	declaration  = lazyregexp.New(`(?m)^type\b`)
	registration = lazyregexp.New(`(?m)^(?:(?:var|func)\s+AddToScheme\b|\tAddToScheme\b[^\n(]*=)`)
)

// declaresType reports whether a package declares a type.
func (d *discovery) declaresType(dir string) bool { return d.anySource(dir, declaration) }

// anySource reports whether a pattern matches a Go file of a package.
func (d *discovery) anySource(dir string, pattern *lazyregexp.Regexp) bool {
	for _, data := range d.GoSources(dir) {
		if pattern.Match(data) {
			return true
		}
	}
	return false
}

// exclude leaves out the packages that have tags and no generated file while others have one, and reports them: they may be new.
func (d *discovery) exclude(names []string) {
	kept := d.keptDirs()
	for _, h := range helpers {
		// Without a defaulting function there is nothing for defaulter-gen to write, and the like for conversions and
		// validations: a missing file of theirs says nothing.
		if !slices.Contains(names, h.name) || len(d.filesOf(h.tool)) == 0 {
			continue
		}
		mayRun := sync.OnceValue(func() bool { // which looks through all files
			return h.name == "deepcopy" || len(d.Texts) == 0 || d.mayRun(h.tool, helperRunners)
		})
		dirs, place := d.tagged(h.name, d.Settings.APIs)
		for _, dir := range dirs {
			t := request{helper: h, dir: dir, place: place[dir], missing: !d.Exists(path.Join(dir, h.file))}
			switch {
			case slices.Contains(d.Settings.Exclude, dir), d.madeBy(dir, h.tool), slices.Contains(d.Settings.ExcludeFrom[h.name], dir):
			case h.name == "register" && t.missing && d.anySource(dir, registration):
				d.excludeFrom(h.name, dir, dir+" registers its types itself")
			case t.missing && d.Git.Deleted(path.Join(dir, h.file)):
				d.generateNew(t)
			case kept[dir] && !mayRun():
				d.excludeFrom(h.name, dir, "no command that crdctl can read runs "+h.tool)
				d.Ask(t.place, "asks for %s, and no command that crdctl can read runs that; it is left out: remove %s from excludeFrom if it should not be", h.tool, dir)
			case h.name == "defaulter" && t.missing && !d.anySource(dir, defaulting) && !d.isGiven(h, dir):
				// Older versions would write a file without functions.
				d.excludeFrom(h.name, dir, dir+" has no defaulting functions, and no command that crdctl can read gives it to "+h.tool)
			case kept[dir]:
				if h.name == "register" || h.name == "deepcopy" && t.missing {
					d.generateNew(t)
				}
			default:
				below := slices.ContainsFunc(slices.Collect(maps.Keys(kept)), func(other string) bool { return text.Below(dir, other) })
				d.excludeUnkept(t, names, below)
			}
		}
	}
	slices.Sort(d.Settings.Exclude)
}

// keptDirs are the directories that have generated files, or that a tree needs.
func (d *discovery) keptDirs() map[string]bool {
	kept := map[string]bool{}
	for _, f := range d.Files {
		if f.Generator != "" {
			kept[f.Dir] = true
		}
	}
	for _, t := range d.trees {
		packages := t.packages
		if t.apply != nil {
			packages = slices.Concat(packages, t.apply.packages)
		}
		for _, p := range packages {
			if dir, ok := d.Modules.Dir(p); ok {
				kept[dir] = true
			}
		}
	}
	return kept
}

// request is a package that asks for a generator.
type request struct {
	helper
	dir, place string
	missing    bool // the generator's file
}

// generateNew tells that a file is generated and missing.
func (d *discovery) generateNew(t request) {
	d.Ask(t.place, "asks for %s and has no %s; crdctl generates one, so remove the tag if it should not", t.tool, t.file)
}

// excludeUnkept leaves out a package without any generated file, unless it cannot do without. Packages below it may have some.
func (d *discovery) excludeUnkept(t request, names []string, below bool) {
	// Without the methods of an object it does not compile.
	needed := t.name == "deepcopy" && d.anySource(t.dir, object) && !d.anySource(t.dir, objectMethod) && !d.Git.Ignores(path.Join(t.dir, t.file))
	switch types := d.declaresType(t.dir); {
	case needed, (t.name == "deepcopy" || t.name == "register") && types && d.isGiven(t.helper, t.dir):
		d.generateNew(t)
	case types && slices.ContainsFunc(helpers, func(other helper) bool { return slices.Contains(names, other.name) && d.isGiven(other, t.dir) }):
		if !d.isGiven(t.helper, t.dir) {
			d.excludeFrom(t.name, t.dir, "no command that crdctl can read gives "+t.dir+" to "+t.tool)
		}
	case below && t.name == "deepcopy" && !types:
		d.excludeFrom(t.name, t.dir, t.dir+" has the tag and no types") // before v0.30, deepcopy-gen writes an empty file
	case below:
		d.Ask(t.place, "asks for %s and has no generated file, but packages below it have; remove the tag, or generate it too", t.tool)
	default:
		d.Settings.Exclude = append(d.Settings.Exclude, t.dir)
		d.Set("exclude", t.place+" has a tag, but nothing was generated")
		d.Ask(t.place, "asks for %s and has no generated file, but others have one; it is skipped: remove %s from exclude if it is new", t.tool, t.dir)
	}
}
