package detect

import (
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// aside are the names of folders whose programs are no controllers.
var aside = []string{"build", "docs", "e2e", "example", "examples", "hack", "scripts", "test", "tests", "tool", "tools"}

// readController names the one program of the root's module: it is what "crdctl run" builds. Of several, none is chosen, and all
// are named.
func (d *discovery) readController() {
	var mains []*repo.GoFile
	for _, f := range d.Files {
		_, module := d.Modules.Of(f.Dir)
		if !f.Main || module != "." || slices.ContainsFunc(strings.Split(f.Dir, "/"), func(name string) bool { return slices.Contains(aside, name) }) {
			continue
		}
		if !slices.ContainsFunc(mains, func(m *repo.GoFile) bool { return m.Dir == f.Dir }) {
			mains = append(mains, f)
		}
	}
	switch len(mains) {
	case 0:
	case 1:
		d.found.raw.Controller.Package = mains[0].Dir
		d.set("controller.package", mains[0].Dir, mains[0].Path+", the only program here")
	default:
		var dirs []string
		for _, f := range mains {
			dirs = append(dirs, f.Dir)
		}
		slices.Sort(dirs)
		d.note("", 0, "controller.package: found %d main packages (%s); set it to the one that \"crdctl run\" is to build, or use --controller", len(dirs), strings.Join(dirs, ", "))
	}
}
