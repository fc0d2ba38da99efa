// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

const codeGenerator = "k8s.io/code-generator"

// release is a release or a pre-release of Kubernetes' modules, and not a pseudo-version.
var release = lazyregexp.New(`^v0\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$`)

// readVersion decides which version of the generators made the tree: what a script names, what the module pins that the
// script runs in, what other modules pin; and the shape of the tree has the last word.
func (d *discovery) readVersion() {
	witnesses := d.versions()
	d.leaveUnpinned(witnesses)
	s := d.readShape(".")
	used, known := d.byClientGo(s) // often of the same release as what made its clients
	if i := slices.IndexFunc(witnesses, func(w Version) bool { return s.fits(w.Version) }); i >= 0 {
		d.takeVersion(witnesses[i])
		return
	}
	unreleased := d.unreleased()
	switch {
	case len(witnesses) > 0 && known:
		w := witnesses[0]
		d.Ask(w.Source, "code-generator %s, but the tree has the shape of %s (%s); using %s of %s, set codeGeneratorVersion if that is wrong",
			w.Version, s, s.why(), used.Version, used.Source)
		d.takeVersion(used)
	case len(witnesses) > 0 && len(d.trees) > 0 && (d.unmade() || d.groupsGone(witnesses[0].Version)+d.flagGone(witnesses[0].Version) != ""):
		d.leaveTrees(witnesses[0], s)
		if d.pinned() == witnesses[0].Version {
			d.takeVersion(witnesses[0]) // which makes the rest
		}
	case len(witnesses) > 0:
		w := witnesses[0]
		d.Ask(w.Source, "code-generator %s, but the tree has the shape of %s (%s); using %s, set codeGeneratorVersion to keep the tree unchanged",
			w.Version, s, s.why(), w.Version)
		d.takeVersion(w)
	case unreleased.Version != "" && s.max < newest && len(d.trees) > 0:
		d.leaveUnknown("code-generator "+unreleased.Version+" ("+unreleased.Source+") is not a release", s)
	case unreleased.Version != "":
		d.Ask(unreleased.Source, "code-generator %s is not a release; set codeGeneratorVersion: v0.X.Y, or crdctl uses its own", unreleased.Version)
	case known:
		d.Note(used.Source, "code-generator is not pinned; using %s, the release of the modules that generated code uses", used.Version)
		d.takeVersion(used)
	case s.max < newest && s.min < 31 && len(d.trees) > 0: // what else changed before v0.31 has no mark
		d.leaveUnknown("code-generator is not pinned", s)
	case s.max < newest:
		v := Version{fmt.Sprintf("v0.%d.0", s.max), "the shape of " + s.maxWhy}
		d.Ask(s.why(), "code-generator is not pinned, and the tree has the shape of %s; using %s, set codeGeneratorVersion if that is wrong", s, v.Version)
		d.takeVersion(v)
	case len(d.trees) > 0:
		d.Ask("", "code-generator is not pinned; set codeGeneratorVersion: v0.X.Y, or crdctl uses its own")
	}
}

// leaveUnknown leaves out all trees, of which an older version made some that is not known.
func (d *discovery) leaveUnknown(why string, s shape) {
	d.unpinned = fmt.Sprintf("%s, and the tree has the shape of %s (%s); set codeGeneratorVersion", why, s, s.why())
	for _, t := range d.trees {
		d.leave(t, d.unpinned)
	}
	d.trees = nil
}

// leaveUnpinned leaves out the trees of modules that pin no version and have scripts of their own, where none of the witnesses, which are other
// modules', can have made the tree.
func (d *discovery) leaveUnpinned(witnesses []Version) {
	d.trees = slices.DeleteFunc(d.trees, func(t *clientTree) bool {
		m, at := d.Modules.Of(t.versioned)
		version, _ := m.Requirement(codeGenerator)
		s := d.readShape(t.dir())
		if at == "." || version != "" || len(witnesses) == 0 || slices.ContainsFunc(witnesses, func(w Version) bool { return s.fits(w.Version) }) ||
			!slices.ContainsFunc(d.scripts, func(s *script) bool { return len(s.calls) > 0 && text.Below(at, s.path) }) {
			return false
		}
		d.leave(t, fmt.Sprintf("code-generator is not pinned in %s, and the tree has the shape of %s (%s); set codeGeneratorVersion", path.Join(at, "go.mod"), s, s.why()))
		return true
	})
}

// takeVersion settles on a version. It is not written down where go.mod has it: it changes there.
func (d *discovery) takeVersion(v Version) {
	d.Version = v
	if d.pinned() != v.Version && !d.pinnedApart(v) {
		d.Settings.CodeGeneratorVersion = v.Version
		d.Set("codeGeneratorVersion", v.Source)
	}
}

// pinnedApart reports whether a version is that of the module of API packages, without a module around it: others have their own.
func (d *discovery) pinnedApart(v Version) bool {
	return d.Modules.ByDir["."] == nil && slices.ContainsFunc(d.Settings.APIs, func(api string) bool {
		m, _ := d.Modules.Of(api)
		_, source := m.Requirement(codeGenerator)
		return source == v.Source
	})
}

// pinned is the version that the module of the first API package requires, or one around it: who generates takes that.
func (d *discovery) pinned() string {
	for dir := append(slices.Clone(d.Settings.APIs), ".")[0]; ; dir = path.Dir(dir) {
		var m *repo.Module
		if m, dir = d.Modules.Of(dir); m == nil {
			return ""
		}
		if v, _ := m.Requirement(codeGenerator); v != "" || dir == "." {
			return v
		}
	}
}

// versions are the witnesses, the best one first.
func (d *discovery) versions() (all []Version) {
	add := func(version, source string) {
		if release.MatchString(version) && !slices.ContainsFunc(all, func(v Version) bool { return v.Version == version }) {
			all = append(all, Version{version, source})
		}
	}
	var last []pin // which tell of other generators where nothing else does
	var dirs []string
	addModule := func(dir string) {
		_, at := d.Modules.Of(dir)
		dirs = append(dirs, at)
	}
	for _, s := range d.scripts {
		if len(s.calls) == 0 && len(s.pins) > 0 && !s.pins[0].apart {
			// It may set what other scripts run, and it may be an old list of what go.mod is to require.
			add(d.Modules.ByDir["."].Requirement(codeGenerator))
		}
		for _, p := range s.pins {
			if p.openAPI {
				last = append(last, p)
			} else {
				add(p.version, p.source)
			}
		}
		for _, c := range s.calls {
			if rest, ok := strings.CutPrefix(c.cwd, shell.Root); ok {
				addModule(path.Clean("." + rest))
			}
			addModule(path.Dir(s.path))
		}
	}
	for _, t := range d.trees {
		addModule(t.versioned)
	}
	dirs = append(append(dirs, "."), slices.Sorted(maps.Keys(d.Modules.ByDir))...) // tools modules last
	for _, dir := range dirs {
		add(d.Modules.ByDir[dir].Requirement(codeGenerator))
	}
	for _, m := range d.Modules.Tools {
		if d.NamesModule(m) {
			add(m.Requirement(codeGenerator))
		}
	}
	for _, p := range last {
		add(p.version, p.source)
	}
	return all
}

// unreleased is a version in development that a module requires.
func (d *discovery) unreleased() Version {
	for _, dir := range slices.Sorted(maps.Keys(d.Modules.ByDir)) {
		if v, source := d.Modules.ByDir[dir].Requirement(codeGenerator); v != "" && !release.MatchString(v) {
			return Version{v, source}
		}
	}
	return Version{}
}

// byClientGo is the release of the modules of Kubernetes that the tree is compiled with.
func (d *discovery) byClientGo(s shape) (Version, bool) {
	dirs := []string{"."}
	for _, t := range d.trees {
		if _, at := d.Modules.Of(t.versioned); at != "." {
			dirs = append([]string{at}, dirs...)
		}
	}
	for _, dir := range dirs {
		for _, module := range []string{"k8s.io/client-go", "k8s.io/apimachinery"} {
			if v, source := d.Modules.ByDir[dir].Requirement(module); release.MatchString(v) && s.fits(v) {
				return Version{v, source}, true
			}
		}
	}
	return Version{}, false
}
