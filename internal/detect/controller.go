// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// aside are the names of directories whose programs are not controllers.
var aside = []string{"build", "docs", "e2e", "example", "examples", "hack", "scripts", "test", "tests", "tool", "tools"}

// readController names the one program of the root's module: it is what "crdctl run" builds. Of several, none is chosen, and all
// are named.
func (d *discovery) readController() {
	var mains []*repo.GoFile
	var dirs []string
	for _, f := range d.Files {
		_, module := d.Modules.Of(f.Dir)
		notAside := !slices.ContainsFunc(strings.Split(f.Dir, "/"), func(name string) bool { return slices.Contains(aside, name) })
		if f.Main && module == "." && notAside && !slices.Contains(dirs, f.Dir) {
			mains, dirs = append(mains, f), append(dirs, f.Dir)
		}
	}
	switch len(mains) {
	case 0:
	case 1:
		d.Settings.Controller.Package = dirs[0]
		d.Set("controller.package", mains[0].Path+", the only program here")
	default:
		slices.Sort(dirs)
		d.Note("", "controller.package: found %d main packages (%s); set it to the one that \"crdctl run\" builds, or use --controller", len(dirs), strings.Join(dirs, ", "))
	}
}
