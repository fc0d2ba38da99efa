// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// leaveUncalled leaves out the trees that no call writes to, where the output directory of every call is known: what made them, and
// whether it is ever to run again, is unknown.
func (d *discovery) leaveUncalled() {
	var outputs []string
	calls := d.calls("gen_client", "client-gen", "generate-groups")
	for _, c := range calls {
		dir, exists := d.local(c, c.flag("--output-dir"))
		if c.flag("--output-dir") == "" || !exists {
			return
		}
		outputs = append(outputs, dir)
	}
	if len(outputs) == 0 {
		return
	}
	d.trees = slices.DeleteFunc(d.trees, func(t *clientTree) bool {
		var of []*call // those that write to it
		for i, dir := range outputs {
			if text.Below(dir, t.versioned) {
				of = append(of, calls[i])
			}
		}
		if len(of) == 0 {
			d.leave(t, fmt.Sprintf("no command that crdctl can read generates it: that at %s writes to %s; name it in clients of crdctl.yaml to have it generated", calls[0].at(), outputs[0]))
			return true
		}
		d.leaveUnasked(t, of)
		return false
	})
}

// leaveUnasked leaves out the parts of a tree that the calls of gen_client that write to it do not ask for: these leave what is there of an
// earlier one.
func (d *discovery) leaveUnasked(t *clientTree, of []*call) {
	asked := func(flag string) bool {
		return slices.ContainsFunc(of, func(c *call) bool { return c.name != "gen_client" || c.has(flag) })
	}
	if t.informers != "" && !asked("--with-watch") && d.callOf("informer-gen") == "" {
		t.informers, t.listers, t.watched = "", "", nil
		t.keeps = of[0].at() + " runs gen_client without --with-watch"
	}
	if t.apply != nil && !asked("--with-applyconfig") && d.callOf("applyconfiguration-gen") == "" {
		t.apply = nil
		t.keeps = of[0].at() + " runs gen_client without --with-applyconfig"
	}
}

// unmade reports whether no command that can be read generates clients, and no module requires the generators.
func (d *discovery) unmade() bool {
	for _, m := range d.Modules.ByDir {
		if m.Uses(codeGenerator) {
			return false
		}
	}
	return len(d.calls("gen_client", "client-gen", "lister-gen", "informer-gen", "generate-groups")) == 0
}

// leaveTrees lists the clients of a version that nothing here pins, and that nothing here generates: which version a person would take is
// unknown.
func (d *discovery) leaveTrees(w Version, s shape) {
	for _, t := range d.trees {
		d.leave(t, fmt.Sprintf("no command that crdctl can read generates it, and it has the shape of %s (%s), where code-generator is %s (%s); set codeGeneratorVersion",
			s, s.why(), w.Version, w.Source))
	}
	d.trees = nil
}

// leave lists the files of a tree as not compared.
func (d *discovery) leave(t *clientTree, reason string) {
	dirs := map[string]string{"client": path.Dir(t.versioned), "informer": t.informers, "lister": t.listers}
	if t.apply != nil {
		dirs["applyconfiguration"] = t.apply.dir
	}
	for _, kind := range []string{"applyconfiguration", "client", "informer", "lister"} {
		var files []*repo.GoFile
		for _, f := range d.Files {
			if dirs[kind] != "" && f.Generator == kind+"-gen" && text.Below(dirs[kind], f.Dir) {
				files = append(files, f)
			}
		}
		if len(files) > 0 {
			d.notCompared(kind, kind+"-gen", pathsOf(files), reason)
		}
	}
}
