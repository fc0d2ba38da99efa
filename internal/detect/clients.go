// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// setter records what shows a setting of one client tree.
type setter func(field, source string)

// readClients turns the trees that were found into settings. Scripts say which trees are made and not kept.
func (d *discovery) readClients() {
	dirs, place := d.tagged("client", d.Settings.APIs)
	if i := slices.IndexFunc(dirs, repo.Versioned); len(d.trees) == 0 && i >= 0 && !d.clientsOfCalls() {
		if lost := d.lostClients(); len(lost) > 0 {
			d.restoreClients(place[dirs[i]], lost)
		} else {
			d.Note(place[dirs[i]], "+genclient, but no client tree; to generate one, set clients: [{dir: DIRECTORY}]")
		}
	}
	for _, t := range d.trees {
		if t.versioned == "." || t.self == "" {
			d.Ask(t.scheme.Path, "the clientset is outside any module, or is a module's root; crdctl cannot generate it there, so it stays unchanged")
			continue
		}
		if i := slices.IndexFunc(d.trees, func(other *clientTree) bool { return other != t && other.dir() == t.dir() }); i >= 0 {
			d.leave(t, "the directory of its parts, "+t.dir()+", is that of "+d.trees[i].versioned+" too; a client tree of crdctl has a directory of its own")
			continue
		}
		if typed, given := t.groupDirs(); typed != "" {
			d.leave(t, "its client is in "+typed+", and from "+t.packages[0]+" crdctl would generate it in "+given+": a script generates it from other paths")
			continue
		}
		if by := d.makesNone(t, dirs); by != "" {
			d.leave(t, "no type of "+t.packages[0]+" has +genclient, so "+by+" generates no clients, and leaves these")
			continue
		}
		i := len(d.Settings.Clients)
		set := func(field, source string) { d.Set(fmt.Sprintf("clients[%d].%s", i, field), source) }
		c := config.Client{}
		d.layout(t, &c, set)
		d.readPackages(t, &c, set)
		if c.WatchPackages = t.watchPackages(); c.WatchPackages != nil {
			set("watchPackages", path.Join(path.Dir(t.informerFile.Path), "generic.go"))
		}
		if !t.fake {
			c.FakeClientset = new(bool)
			set("fakeClientset", t.versioned+" has no directory fake")
		}
		if c.PrefersProtobuf = t.protobuf != ""; c.PrefersProtobuf {
			set("prefersProtobuf", t.protobuf)
		}
		for _, e := range t.plurals {
			if c.PluralExceptions == nil {
				c.PluralExceptions = map[string]string{}
			}
			c.PluralExceptions[e.kind] = e.plural
			set("pluralExceptions."+e.kind, e.source)
		}
		if t.apply != nil {
			t.applySettings(&c, set)
		} else if self, source := d.madeOtherwise(t); self != "" {
			c.ApplyConfigurationImport = self
			set("applyConfigurationImport", source)
		}
		if at := d.keepsLeftOver(c.Dir); at != "" {
			t.keeps = at + " removes nothing"
		}
		if dir := d.holdsLeft(t); dir != "" {
			t.keeps = dir + " is below the directory of this clientset, and not generated"
		}
		if dir := path.Join(c.Dir, "listers"); t.informers == "" && slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool {
			return f.Generator == "lister-gen" && text.Below(dir, f.Dir)
		}) {
			t.keeps = dir + " has listers, and there are no informers"
		}
		if t.keeps != "" {
			c.KeepLeftOver = true
			set("keepLeftOver", t.keeps)
		}
		d.Settings.Clients = append(d.Settings.Clients, c)
	}
}

// removes are the ways in which scripts remove what they generate next.
var removes = lazyregexp.New(`\brm\s+-\w*r|\bxargs\s[^\n]*\brm\b|\brm\s[^\n]*\.go\b|\s-delete\b|\bgit clean\b`)

// noRemoval removes none of what a script makes: comments, what is done at its end, and directories that have their name from being temporary.
var noRemoval = lazyregexp.New(`(?m)^[ \t]*(?:#|trap\s).*$|\brm\s+-\w+\s+["']?\$+[({]?\w*(?i:tmp|temp)\w*[)}]?["']?`)

// runsGenClient is in scripts that leave to gen_client what it removes.
var runsGenClient = lazyregexp.New(`kube::codegen::gen_client|kube_codegen\.sh`)

// keepsLeftOver is the place of a call of a client generator in a script that removes nothing of the tree before: what is generated no
// more stays, other than with gen_client, which removes it where it writes.
func (d *discovery) keepsLeftOver(tree string) string {
	all := slices.DeleteFunc(d.calls("client-gen", "applyconfiguration-gen", "gen_client", "generate-groups"), func(c *call) bool {
		dir, exists := d.local(c, c.flag("--output-dir"))
		return c.name == "gen_client" && exists && c.flag("--output-dir") != "" && !text.Below(dir, tree) && !text.Below(tree, dir) // it writes elsewhere
	})
	for _, c := range all {
		removing := c.name == "gen_client" && !strings.HasPrefix(c.flag("--output-dir"), shell.Temporary) || c.name == "generate-groups" && d.groupsRemove()
		if removing || d.removesFrom(tree, c.script) {
			return ""
		}
	}
	if minor, ok := minorOf(d.Version.Version); len(all) == 0 && ok && minor < 28 {
		return "generate-groups.sh of " + d.Version.Version // which an image may run, and the generators do not either
	}
	if len(all) == 0 {
		return ""
	}
	return all[0].at()
}

// groupsRemove reports whether generate-groups.sh removes what it generates next: that of code-generator does since v0.28. A repository may have
// a copy of its own.
func (d *discovery) groupsRemove() bool {
	own := false
	for _, t := range d.Texts {
		if name := path.Base(t.Path); name == "generate-groups.sh" || name == "generate-internal-groups.sh" {
			data := noRemoval.ReplaceAll(t.Data, nil)
			if own = true; removes.Match(data) || runsGenClient.Match(data) {
				return true
			}
		}
	}
	minor, ok := minorOf(d.Version.Version)
	return !own && (!ok || minor >= 28)
}

// removesFrom reports whether a script may remove all files of a tree.
func (d *discovery) removesFrom(tree string, s *script) bool {
	i := slices.IndexFunc(d.Texts, func(t repo.Script) bool { return t.Path == s.path })
	if i < 0 {
		return true
	}
	var parts []string
	for _, removed := range s.removed {
		// What is elsewhere is of no account, and neither is the line that removes it.
		if !strings.HasPrefix(removed, shell.Temporary) {
			dir := steps.Local(shell.Root, removed)
			if before, _, pattern := strings.Cut(dir, "*"); pattern {
				dir = path.Dir(before + "x")
			}
			if dir == "" || text.Below(dir, tree) {
				return true
			}
			if text.Below(tree, dir) {
				parts = append(parts, dir)
			}
		}
	}
	stays := func(f *repo.GoFile) bool {
		return slices.Contains(repo.GengoTools, f.Generator) && text.Below(tree, f.Dir) && !slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator }) &&
			!slices.ContainsFunc(parts, func(dir string) bool { return text.Below(dir, f.Path) })
	}
	if len(parts) > 0 {
		return !slices.ContainsFunc(d.Files, stays)
	}
	return len(s.removed) == 0 && removes.Match(noRemoval.ReplaceAll(d.Texts[i].Data, nil))
}

// layout finds the directory of the tree, and the names of what is in it.
func (d *discovery) layout(t *clientTree, c *config.Client, set setter) {
	clientset := path.Dir(t.versioned)
	source := t.scheme.At("// Code generated by")
	c.Dir = t.dir()
	set("dir", source)
	rel := repo.Rel(c.Dir, t.versioned)
	if own := path.Join(d.Modules.ImportPath(c.Dir), rel); own != t.self {
		if pkg, ok := strings.CutSuffix(t.self, "/"+rel); ok {
			c.Package = pkg
			set("package", path.Join(t.versioned, "clientset.go"))
		}
	}
	name := func(to *string, field, is, usual, source string) {
		if is != usual {
			*to = is
			set(field, source)
		}
	}
	name(&c.ClientsetName, "clientsetName", repo.Rel(c.Dir, clientset), "clientset", source)
	name(&c.VersionedName, "versionedName", path.Base(t.versioned), "versioned", source)
	if t.informers != "" {
		c.Watch = true
		set("watch", t.informerFile.Path)
		name(&c.InformersName, "informersName", repo.Rel(c.Dir, t.informers), "informers", t.informerFile.Path)
		if c.SingleDirectory = t.singleDirectory; c.SingleDirectory {
			set("singleDirectory", t.informerFile.Path)
		}
	}
	if t.listers != "" {
		name(&c.ListersName, "listersName", repo.Rel(c.Dir, t.listers), "listers", t.listers)
	}
	if t.apply != nil {
		c.ApplyConfiguration = true
		set("applyConfiguration", t.apply.utils.Path)
		name(&c.ApplyConfigurationName, "applyConfigurationName", repo.Rel(c.Dir, t.apply.dir), "applyconfiguration", t.apply.utils.Path)
	}
}

// dirs are the directories of the parts of a tree, that of the clientset first.
func (t *clientTree) dirs() []string {
	dirs := []string{path.Dir(t.versioned)}
	if t.informers != "" {
		dirs = append(dirs, t.informers)
	}
	if t.listers != "" {
		dirs = append(dirs, t.listers)
	}
	if t.apply != nil {
		dirs = append(dirs, t.apply.dir)
	}
	return dirs
}

// dir is the directory of a tree: the one that has its parts.
func (t *clientTree) dir() string {
	dirs := t.dirs()
	dir := path.Dir(dirs[0])
	// A directory that holds the others is the tree, and not a name in it.
	if slices.ContainsFunc(dirs, func(part string) bool { return path.Dir(part) != dir || part == "." }) {
		return common(dirs)
	}
	return dir
}

// common is the directory that all directories are in or are.
func common(dirs []string) string {
	dir := dirs[0]
	for _, other := range dirs[1:] {
		for !text.Below(dir, other) {
			dir = path.Dir(dir)
		}
	}
	return dir
}

// applySettings are those of the apply configurations.
func (t *clientTree) applySettings(c *config.Client, set setter) {
	a := t.apply
	// A package without kinds has nothing in either tree, and so makes no difference.
	if len(a.packages) > 0 && t.differs(a.packages, func(p string) bool { return t.hasClient(p) }) {
		c.ApplyConfigurationPackages = a.packages
		set("applyConfigurationPackages", a.utils.Path)
	}
	for _, e := range a.externs {
		if c.ApplyConfigurationExternals == nil {
			c.ApplyConfigurationExternals = map[string]string{}
		}
		c.ApplyConfigurationExternals[e.typ] = e.to
		set("applyConfigurationExternals."+e.typ, e.source)
	}
	if a.schema != "" {
		switch c.ApplyConfigurationOpenAPISchema = config.BuildSchema; {
		case a.document != "" && (a.untagged || strings.HasPrefix(a.document, "vendor/")): // of other types, for example of copies
			c.ApplyConfigurationOpenAPISchema = a.document
		case a.reversed:
			c.ApplyConfigurationOpenAPISchema = config.BuildReversedSchema
		case a.untagged:
			c.ApplyConfigurationOpenAPISchema = config.BuildTaggedSchema
		}
		set("applyConfigurationOpenAPISchema", a.schema)
	}
}

// differs reports whether packages are others than those of the tree, of which only some count.
func (t *clientTree) differs(packages []string, counts func(importPath string) bool) bool {
	return slices.ContainsFunc(packages, func(p string) bool { return !slices.Contains(t.packages, p) }) ||
		slices.ContainsFunc(t.packages, func(p string) bool { return !slices.Contains(packages, p) && counts(p) })
}
