package detect

import (
	"bytes"
	buildline "go/build/constraint"
	"path"
	"slices"
	"strings"
)

// aside are the names of folders whose programs are no controllers.
var aside = []string{"build", "docs", "e2e", "example", "examples", "hack", "scripts", "test", "tests", "tool", "tools"}

// readController names the one program of the root's module: it is what "crdctl run" builds. Of several, none is chosen, and all
// are named.
func (d *discovery) readController() {
	var mains []*goFile
	for _, f := range d.files {
		_, module := d.modules.of(f.dir)
		if !f.main || module != "." || slices.ContainsFunc(strings.Split(f.dir, "/"), func(name string) bool { return slices.Contains(aside, name) }) {
			continue
		}
		if !slices.ContainsFunc(mains, func(m *goFile) bool { return m.dir == f.dir }) {
			mains = append(mains, f)
		}
	}
	switch len(mains) {
	case 0:
	case 1:
		d.found.raw.Controller.Package = mains[0].dir
		d.set("controller.package", mains[0].dir, mains[0].path+", the only program here")
	default:
		var dirs []string
		for _, f := range mains {
			dirs = append(dirs, f.dir)
		}
		slices.Sort(dirs)
		d.note("", 0, "controller.package: found %d main packages (%s); set it to the one that \"crdctl run\" is to build, or use --controller", len(dirs), strings.Join(dirs, ", "))
	}
}

// isMain reports whether a file has the main function of a program that is built as a matter of course.
func isMain(rel string, data []byte) bool {
	if strings.HasSuffix(path.Base(rel), "_test.go") {
		return false
	}
	top, body, ok := bytes.Cut(data, []byte("\npackage main"))
	if !ok {
		if body, ok = bytes.CutPrefix(data, []byte("package main")); !ok {
			return false
		}
		top = nil
	}
	if !bytes.Contains(body, []byte("\nfunc main() {")) {
		return false
	}
	for line := range bytes.Lines(top) {
		text := strings.TrimSpace(string(line))
		if !buildline.IsGoBuild(text) {
			continue
		}
		// Systems and versions are left open; a tag like ignore or tools is for the user to set.
		expr, err := buildline.Parse(text)
		if err != nil || !expr.Eval(func(tag string) bool { return slices.Contains(systems, tag) || strings.HasPrefix(tag, "go1.") }) {
			return false
		}
	}
	return true
}

// systems are the tags of the systems that controllers run on.
var systems = []string{"linux", "unix", "cgo", "amd64", "arm64"}
