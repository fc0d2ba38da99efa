package detect

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/shell"
)

const codeGenerator = "k8s.io/code-generator"

// release is a version that is published; others are of a day, and of modules in development.
var release = regexp.MustCompile(`^v0\.\d+\.\d+$`)

// readVersion decides which version of the generators made the tree: what a script names, what the module pins that the
// script runs in, what other modules pin; and the shape of the tree has the last word.
func (d *discovery) readVersion() {
	s := d.readShape()
	witnesses := d.versions()
	for _, w := range witnesses {
		if !s.known() || s.fits(w.Version) {
			d.takeVersion(w)
			return
		}
	}
	if len(witnesses) > 0 {
		w := witnesses[0]
		// client-go is often of the same release as what made its clients.
		if g, ok := d.byClientGo(s); ok {
			d.unread(file(w.Source), line(w.Source), "code-generator %s, but the tree has the shape of %s (%s); taken is %s of %s, write codeGeneratorVersion if that is wrong",
				w.Version, s, s.why(), g.Version, g.Source)
			d.takeVersion(g)
			return
		}
		d.unread(file(w.Source), line(w.Source), "code-generator %s, but the tree has the shape of %s (%s); taken is %s, write codeGeneratorVersion if the tree is to stay as it is",
			w.Version, s, s.why(), w.Version)
		d.takeVersion(w)
		return
	}
	if v, source := d.unreleased(); v != "" {
		d.unread(file(source), line(source), "code-generator %s is no release; write codeGeneratorVersion: v0.X.Y, or crdctl uses its own", v)
		return
	}
	if g, ok := d.byClientGo(s); ok {
		d.note(file(g.Source), line(g.Source), "nothing here pins code-generator; taken is %s, the release of the modules that generated code uses", g.Version)
		d.takeVersion(g)
		return
	}
	switch {
	case s.known() && s.max < newest:
		v := Version{fmt.Sprintf("v0.%d.0", s.max), "the shape of " + s.maxWhy}
		d.unread(s.why(), 0, "nothing here pins code-generator, and the tree has the shape of %s; taken is %s, write codeGeneratorVersion if that is wrong", s, v.Version)
		d.takeVersion(v)
	case len(d.trees) > 0:
		d.unread("", 0, "nothing here pins code-generator; write codeGeneratorVersion: v0.X.Y, or crdctl uses its own")
	}
}

// takeVersion settles on a version. It is not written down where go.mod has it: it changes there.
func (d *discovery) takeVersion(v Version) {
	d.found.Version = v
	if pinned, _ := d.Modules.Main().Requirement(codeGenerator); pinned == v.Version {
		return
	}
	d.found.raw.CodeGeneratorVersion = v.Version
	d.set("codeGeneratorVersion", v.Version, v.Source)
}

// versions are the witnesses, the best one first.
func (d *discovery) versions() []Version {
	var all []Version
	add := func(version, source string) {
		if release.MatchString(version) && !slices.ContainsFunc(all, func(v Version) bool { return v.Version == version }) {
			all = append(all, Version{version, source})
		}
	}
	for _, s := range d.scripts {
		for _, p := range s.pins {
			add(p.version, p.source)
		}
	}
	var dirs []string
	addModule := func(dir string) {
		if _, at := d.Modules.Of(dir); d.Modules.In(at) != nil && !slices.Contains(dirs, at) {
			dirs = append(dirs, at)
		}
	}
	for _, s := range d.scripts {
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
	addModule(".")
	var others []string // tools modules
	for dir := range d.Modules.ByDir {
		if !slices.Contains(dirs, dir) {
			others = append(others, dir)
		}
	}
	slices.Sort(others)
	for _, dir := range append(dirs, others...) {
		v, source := d.Modules.In(dir).Requirement(codeGenerator)
		add(v, source)
	}
	return all
}

// unreleased is a version in development, which no other witness has made up for.
func (d *discovery) unreleased() (version, source string) {
	for _, dir := range slices.Sorted(maps.Keys(d.Modules.ByDir)) {
		if v, source := d.Modules.ByDir[dir].Requirement(codeGenerator); v != "" && !release.MatchString(v) {
			return v, source
		}
	}
	return "", ""
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
			v, source := d.Modules.In(dir).Requirement(module)
			if release.MatchString(v) && (!s.known() || s.fits(v)) {
				return Version{v, source}, true
			}
		}
	}
	return Version{}, false
}

// file and line take a place apart again.
func file(place string) string { f, _, _ := strings.Cut(place, ":"); return f }

func line(place string) int {
	n := 0
	_, l, _ := strings.Cut(place, ":")
	for _, c := range l {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
