// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// usualClientDir is where a first client tree goes.
const usualClientDir = "pkg/client"

// readFresh decides by tags, as kube_codegen.sh does, and by scripts: nothing was generated yet, or none of it is kept.
func (d *discovery) readFresh() error {
	t := d.readTags()
	if d.reader().Made() {
		d.freshOfControllerGen(t.found)
		return nil
	}
	if len(t.found) == 0 {
		if len(d.calls("openapi-gen")) > 0 || slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool { return f.Generator == "openapi-gen" }) {
			return nil // definitions of other modules' types need no API package
		}
		return d.asksForNothing(t)
	}
	slices.SortFunc(d.made, func(a, b string) int { return helperIndex(a) - helperIndex(b) })
	d.setAPIs(t.found)
	if t.never {
		d.Settings.Generators = append([]string{}, d.made...)
		d.Set("generators", slices.Sorted(maps.Keys(d.deleted))[0])
	}
	d.leaveUnrunByGroups()
	if t.clients == "" || d.clientsOfCalls() {
		return nil
	}
	if lost := d.lostClients(); len(lost) > 0 {
		d.restoreClients(t.clients, lost)
		return nil
	}
	dir := usualClientDir
	// A module of the API packages has its clients, too.
	if _, at := d.Modules.Of(d.Settings.APIs[0]); at != "." {
		dir = path.Join(at, usualClientDir)
	}
	d.Settings.Clients, d.guessed["clients"] = []config.Client{{Dir: dir, Watch: true}}, true
	d.Set("clients[0].dir", t.clients+" has +genclient; the directory is the usual one")
	d.Set("clients[0].watch", "listers and informers, as most controllers need them")
	d.Note(t.clients, "+genclient, and no client tree yet; it goes to %s, write clients: [{dir: DIRECTORY}] for another place", dir)
	return nil
}

// lostClients are the files of clientsets that were deleted and that git has.
func (d *discovery) lostClients() []string {
	return slices.DeleteFunc(d.Git.DeletedAs("clientset.go"), func(file string) bool { return slices.Contains(strings.Split(file, "/"), "vendor") })
}

// restoreClients sets the client tree that was deleted, where its directory is certain and nothing of it is left, which may be of another version. at is
// the place of a +genclient.
func (d *discovery) restoreClients(at string, lost []string) {
	dir, usual := strings.CutSuffix(lost[0], "/clientset/versioned/clientset.go")
	left := func(f *repo.GoFile) bool {
		return slices.Contains([]string{"client-gen", "lister-gen", "informer-gen", "applyconfiguration-gen"}, f.Generator) && text.Below(dir, f.Dir)
	}
	if len(lost) > 1 || !usual || slices.ContainsFunc(d.Files, left) {
		d.Ask(at, "+genclient, and its clients were deleted, as %s, which git has; write clients: [{dir: DIRECTORY}] to have them generated", lost[0])
		d.List("client", "client-gen", lost, "it was deleted, and git has it; the settings do not say where clients are generated")
		return
	}
	d.Settings.Clients = []config.Client{{Dir: dir, Watch: d.Git.Deleted(path.Join(dir, "informers")), ApplyConfiguration: d.Git.Deleted(path.Join(dir, "applyconfiguration"))}}
	d.Set("clients[0]", lost[0]+" was deleted, and git has it")
}

// tags are what the tags of all packages ask for.
type tags struct {
	found   roots  // what is asked for
	clients string // the place of the first +genclient of an API version
	never   bool   // some ask for what was never generated
	// These are why tags ask for nothing: the directory of deep copies that are written by hand, a file of a generator that crdctl does not
	// run, and the files of types that were copied with their tags.
	byHand   string
	byOthers *repo.GoFile
	copied   []*repo.GoFile
}

// readTags reads the tags, and sets which generators they ask for.
func (d *discovery) readTags() *tags {
	t := &tags{found: roots{}}
	for _, f := range d.Files {
		copies := d.madeByOthers(f.Dir)
		switch {
		case copies != nil && f.Tags != nil:
			t.byOthers = copies
		case copies != nil:
		case f.Tags != nil && d.copiedByHand(f.Dir):
			t.byHand = f.Dir
		case f.Tags["deepcopy"] > 0 && d.copiedTypes(f.Dir):
			t.copied = append(t.copied, f)
		default:
			d.ask(f, t)
		}
	}
	if len(t.found) > 0 { // other packages ask, so these may be the project's own
		for _, f := range t.copied {
			d.ask(f, t)
		}
	}
	return t
}

// ask adds what the tags of a file ask for. A group's name alone asks for nothing: kubebuilder's projects have it too.
func (d *discovery) ask(f *repo.GoFile, t *tags) {
	for _, a := range repo.Tags {
		line, ok := f.Tags[a.Generator]
		if !ok || a.Generator == "register" || a.Generator == "openapi" {
			continue
		}
		if len(d.deleted) > 0 && len(d.scripts) == 0 && !d.wasGenerated(a.Generator, f.Dir) {
			t.never = true
			continue
		}
		t.found.add(f.Dir, repo.At(f.Path, line))
		if a.Generator == "client" && repo.Versioned(f.Dir) && t.clients == "" {
			t.clients = repo.At(f.Path, line)
		}
		if a.Generator != "client" && !slices.Contains(d.made, a.Generator) {
			d.made = append(d.made, a.Generator)
		}
	}
}

// wasGenerated reports whether git has a file of a generator that was deleted, in a directory or, of a client, anywhere: where no script says what is
// generated, git does.
func (d *discovery) wasGenerated(generator, dir string) bool {
	if i := helperIndex(generator); i >= 0 {
		return d.Git.Deleted(path.Join(dir, helpers[i].file))
	}
	return len(d.lostClients()) > 0
}

// asksForNothing is the error where tags ask for nothing, with the reason.
func (d *discovery) asksForNothing(t *tags) error {
	const unread = "%w: no command that crdctl can read generates code, "
	switch nothing := d.nothing(); {
	case len(nothing.Found) > 0:
		return nothing
	case t.byHand != "":
		return fmt.Errorf(unread+"and in %s the deep copies are written by hand, as the rest may be; "+NothingHint, ErrNothing, t.byHand)
	case len(t.copied) > 0:
		return fmt.Errorf(unread+"no go.mod requires code-generator, and in %s a tag is only above types, as where these were copied; "+NothingHint, ErrNothing, t.copied[0].Dir)
	case t.byOthers != nil:
		return fmt.Errorf(unread+"and %s is generated by %s, which crdctl does not run; "+NothingHint, ErrNothing, t.byOthers.Path, t.byOthers.Generator)
	}
	return fmt.Errorf("%w: no file is generated by client-gen, controller-gen or similar, no makefile, script or go:generate line calls controller-gen,"+
		" and no Go file has a tag like +genclient or +k8s:deepcopy-gen; "+NothingHint, ErrNothing)
}

// leaveUnrunByGroups leaves out the generators that calls of generate-groups.sh do not name, where nothing else runs any: a tag is often copied with its type.
func (d *discovery) leaveUnrunByGroups() {
	if d.callOf("generate-groups") == "" || d.callOf("gen_helpers") != "" {
		return
	}
	unrun := func(name string) bool {
		tool := helpers[helperIndex(name)].tool
		groups, ok := d.groupsOf(tool)
		return ok && len(groups) == 0 && d.callOf(tool) == ""
	}
	if slices.ContainsFunc(d.made, unrun) {
		d.made = slices.DeleteFunc(d.made, unrun)
		d.Settings.Generators = append([]string{}, d.made...)
		d.Set("generators", d.callOf("generate-groups"))
	}
}

// copiedByHand reports whether a person wrote the deep copies in a directory, where no command generates any code: its tags are copied, or were read once.
func (d *discovery) copiedByHand(dir string) bool {
	return d.anySource(dir, objectMethod) && len(d.calls("gen_helpers", "gen_client", "gen_register", "generate-groups", "client-gen", "deepcopy-gen")) == 0 && !d.reader().Made()
}

// copiedTypes reports whether a directory asks for deep copies of single types alone, and nothing else in the repository tells of code-generator: these
// were copied with their tags.
func (d *discovery) copiedTypes(dir string) bool {
	for _, f := range d.ByDir[dir] {
		for name := range f.Tags {
			if name != "deepcopy" {
				return false
			}
		}
	}
	for _, data := range d.GoSources(dir) {
		if packageTag.Match(data) {
			return false
		}
	}
	requires := func(m *repo.Module) bool {
		version, _ := m.Requirement(codeGenerator)
		return version != ""
	}
	modules := slices.AppendSeq(slices.Clone(d.Modules.Tools), maps.Values(d.Modules.ByDir))
	return !slices.ContainsFunc(modules, requires) && len(d.scripts) == 0 && !d.reader().Made()
}

// packageTag asks for the deep copies of a package, or for objects.
var packageTag = lazyregexp.New(`(?m)^\s*// ?\+k8s:deepcopy-gen(?:=package|:)`)

func helperIndex(name string) int {
	return slices.IndexFunc(helpers, func(h helper) bool { return h.name == name })
}

// clientsOfCalls takes the settings of client trees from the calls of gen_client, and reports whether there is one.
func (d *discovery) clientsOfCalls() bool {
	calls := d.calls("gen_client")
	for _, c := range calls {
		dir, exists := d.local(c, c.flag("--output-dir"))
		if c.flag("--output-dir") == "" { // of v0.29 and before
			if len(d.left) > 0 {
				continue // what is there is listed, and whether this call writes anything depends on its --output-base
			}
			dir, _ = d.Modules.Dir(c.flag("--output-pkg-root"))
			exists = d.Exists(dir)
		}
		if dir == "" || strings.Contains(dir, "$") {
			d.Ask(c.at(), "--output-dir %s cannot be read without running the script; write clients: [{dir: DIRECTORY}]", c.flag("--output-dir"))
			continue
		}
		if d.clears(c, dir) {
			d.Ask(c.at(), "--output-dir %s is removed by the script; write clients: [{dir: DIRECTORY}] for the directory to which it moves the clients", dir)
			continue
		}
		if why := d.forked(dir); why != "" {
			if !exists { // otherwise its files are listed
				d.Ask(c.at(), "its clients are not generated: %s; name them in clients of crdctl.yaml to have them generated by that", why)
			}
			continue
		}
		client := config.Client{
			Dir:                         dir,
			Watch:                       c.has("--with-watch"),
			ApplyConfiguration:          c.has("--with-applyconfig"),
			PrefersProtobuf:             c.has("--prefers-protobuf"),
			ClientsetName:               c.flag("--clientset-name"),
			VersionedName:               c.flag("--versioned-name"),
			ListersName:                 c.flag("--listers-name"),
			InformersName:               c.flag("--informers-name"),
			ApplyConfigurationName:      c.flag("--applyconfig-name"),
			OneInputAPI:                 c.flag("--one-input-api"),
			PluralExceptions:            pairs(c.flag("--plural-exceptions")),
			ApplyConfigurationExternals: pairs(c.flag("--applyconfig-externals")),
		}
		if c.flag("--applyconfig-openapi-schema") != "" {
			client.ApplyConfigurationOpenAPISchema = config.BuildSchema
		}
		if apis := d.apisOf(c); len(apis) < len(d.Settings.APIs) {
			client.APIs = apis
		}
		d.Set(fmt.Sprintf("clients[%d]", len(d.Settings.Clients)), c.at())
		d.Settings.Clients = append(d.Settings.Clients, client)
	}
	return len(calls) > 0
}

// clears reports whether the script of a call removes a directory that does not exist: what is generated in it is moved.
func (d *discovery) clears(c *call, dir string) bool {
	return slices.ContainsFunc(c.script.removed, func(word string) bool {
		removed, there := d.local(c, word)
		return !there && removed != "" && text.Below(removed, dir)
	})
}

// deletes reports whether the script of a call removes a file by its name or a pattern.
func (d *discovery) deletes(c *call, file string) bool {
	return slices.ContainsFunc(c.script.removed, func(word string) bool {
		pattern, _ := d.local(c, word)
		matches, _ := path.Match(pattern, file)
		return matches
	})
}

// apisOf are the API directories that a call of gen_client names: all of them where its arguments cannot be read.
func (d *discovery) apisOf(c *call) (apis []string) {
	for _, arg := range c.args {
		dir, ok := d.local(c, arg)
		if !ok {
			return d.Settings.APIs
		}
		for _, api := range d.Settings.APIs {
			if (text.Below(dir, api) || text.Below(api, dir)) && !slices.Contains(apis, api) {
				apis = append(apis, api)
			}
		}
	}
	if len(apis) == 0 {
		return d.Settings.APIs
	}
	return apis
}

// pairs reads a list of key:value.
func pairs(list string) map[string]string {
	var m map[string]string
	for pair := range strings.SplitSeq(list, ",") {
		if k, v, ok := strings.Cut(pair, ":"); ok && !strings.Contains(pair, "$") {
			if m == nil {
				m = map[string]string{}
			}
			m[k] = v
		}
	}
	return m
}
