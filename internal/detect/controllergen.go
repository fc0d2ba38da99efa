// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// controllerGen is the name of the tool in the files that it makes.
const controllerGen = "controller-gen"

// readControllerGen finds the calls of controller-gen that made what is here. Of what they are not found for, it lists what
// controller-gen made and crdctl does not make.
func (d *discovery) readControllerGen() {
	calls := d.readCalls()
	own := d.readOwn(d.ownManifests())
	d.readPostProcessed(calls, own)
	d.readForms(calls, own)
	d.readClientImports()
	d.leaveCopied(calls)
	calls = d.inferCalls(calls, own)
	d.readImportForms(calls, own)
	d.leaveToOwnProgram(calls, own)
	d.leaveMoved(calls, own)
	calls = d.keepCalls(calls)
	d.versionCalls(calls, own)
	d.listDerived(calls, own)
	for i, c := range calls {
		d.found.raw.ControllerGen.Calls = append(d.found.raw.ControllerGen.Calls, c.ControllerGenCall)
		d.set(fmt.Sprintf("controllerGen.calls[%d]", i), c.at)
	}
}

// controllerGen names the calls of controller-gen in a few words.
func (f *Found) controllerGen() string {
	var names []string
	calls := f.Project.ControllerGen.Calls
	for i := range calls {
		names = append(names, calls[i].Generators()...)
	}
	if len(names) == 0 {
		return ""
	}
	named := slices.DeleteFunc(slices.Clone(config.ControllerGenNames), func(n string) bool { return !slices.Contains(names, n) })
	count := "one call"
	if len(calls) > 1 {
		count = fmt.Sprintf("%d calls", len(calls))
	}
	return fmt.Sprintf("%s (%s in %s, %s)", strings.TrimSpace(controllerGen+" "+f.Project.ControllerGen.Version), strings.Join(named, ", "), count, f.sources["controllerGen.calls[0]"][0])
}

// onlyControllerGen takes away what counts for code-generator alone where it makes nothing.
func (d *discovery) onlyControllerGen() {
	p := &d.found.raw
	if len(p.Clients) > 0 || p.OpenAPI.Dir != "" || p.Generators == nil || len(p.Generators) > 0 {
		return
	}
	p.Boilerplate, p.CodeGeneratorVersion, d.found.Version = "", "", Version{}
	delete(d.found.sources, "boilerplate")
	delete(d.found.sources, "codeGeneratorVersion")
	d.found.Unread = slices.DeleteFunc(d.found.Unread, func(f Finding) bool { return strings.Contains(f.Text, "code-generator") })
}

// leaveTo takes out of calls what settings have crdctl make all the same, as a project of its own has it.
func leaveTo(p *config.Project) {
	kept := p.ControllerGen.Calls[:0]
	for i := range p.ControllerGen.Calls {
		c := &genCall{ControllerGenCall: p.ControllerGen.Calls[i]}
		for name, dir := range map[string]string{"crd": p.CRDs.Dir, "rbac": p.RBAC.Dir} {
			if out, ok := c.OutputDir(name); ok && dir != "" && out == path.Clean(dir) {
				c.drop(name)
			}
		}
		if len(c.Generators()) > 0 {
			kept = append(kept, c.ControllerGenCall)
		}
	}
	p.ControllerGen.Calls = kept
}

// keepCalls takes the generators out of calls that leave no file in the repository, and then the calls that have none left.
func (d *discovery) keepCalls(calls []*genCall) (kept []*genCall) {
	for _, c := range calls {
		for _, name := range c.Generators() {
			if name == "object" || name == "applyconfiguration" {
				if out := c.Output[name]; out == config.OutputNone || out == config.OutputStdout {
					c.drop(name)
				}
				continue
			}
			dir, ok := c.OutputDir(name)
			if !ok {
				c.drop(name)
				d.printed(calls, c, name)
			} else if to := d.ignoredOutput(c, name, dir); to != "" {
				c.drop(name)
				d.unread(c.at, "%s is written to %s, which git ignores; it is not compared", name, to)
			} else if name == "schemapatch" && c.Output[name] == "" && !d.isDir(dir) {
				c.drop(name)
				d.note(c.at, "schemapatch is written to %s, which is not here: the repository keeps none of it, or the call lacks output:schemapatch:dir=DIR", dir)
			} else if slices.Contains(d.removedDirs, dir) {
				c.drop(name)
				d.note(c.at, "%s is written to %s, which is deleted afterwards", name, dir)
			}
		}
		same := slices.ContainsFunc(kept, func(o *genCall) bool { return reflect.DeepEqual(o.ControllerGenCall, c.ControllerGenCall) })
		if len(c.Generators()) > 0 && !same {
			kept = append(kept, c)
		}
	}
	return kept
}

// ignoredOutput is the directory or the one file to which a generator writes where git ignores that, or "".
func (d *discovery) ignoredOutput(c *genCall, name, dir string) string {
	file := ""
	switch name {
	case "rbac":
		file = path.Join(dir, roleFile(c))
	case "webhook":
		file = path.Join(dir, "manifests.yaml")
	}
	switch {
	case workspace.GitIgnores(d.Root, dir):
		return dir
	case file != "" && workspace.GitIgnores(d.Root, file):
		return file
	}
	return ""
}

// printed lists the files to which the shell writes what a call prints, but those that another call was inferred for.
func (d *discovery) printed(calls []*genCall, c *genCall, name string) {
	files := slices.DeleteFunc(slices.Clone(c.writes), func(file string) bool {
		return file == "" || !d.Exists(file) || slices.ContainsFunc(calls, func(o *genCall) bool {
			dir, ok := o.OutputDir(name)
			return ok && slices.Contains(o.Generators(), name) && dir == path.Dir(file)
		})
	})
	version := ""
	if len(files) == 0 && name == "crd" { // another command may take them from what the call prints
		files, version = d.elsewhere(calls, c)
	}
	if len(files) == 0 {
		d.note(c.at, "%s is not written to the repository", name)
		return
	}
	if files = slices.DeleteFunc(files, d.listed); len(files) > 0 {
		d.notCompared(cmp.Or(map[string]string{"schemapatch": "crd"}[name], name), controllerGen+" "+version, files, c.at+writesFromOutput)
	}
}

// drop takes a generator out of a call.
func (c *genCall) drop(name string) {
	if delete(c.Output, name); len(c.Output) == 0 {
		c.Output = nil
	}
	c.Drop(name)
}

// byControllerGen reports whether controller-gen made anything here, or a script calls it.
func (d *discovery) byControllerGen() bool {
	calls := func(g repo.Directive) bool { return wanted(g.Text) }
	return slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool {
		return f.Generator == controllerGen || slices.ContainsFunc(f.Generate, calls)
	}) ||
		len(d.ownManifests()) > 0 ||
		len(d.Roles) > 0 && d.hasMarker("rbac") ||
		len(d.Webhooks) > 0 && d.hasMarker("webhook") ||
		slices.ContainsFunc(d.Texts, func(t repo.Script) bool { return wanted(string(commentLine.ReplaceAll(t.Data, nil))) })
}

// hasMarker reports whether any file has one of controller-gen's markers.
func (d *discovery) hasMarker(name string) bool {
	return slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool { return f.Tags[name] > 0 })
}

var commentLine = lazyregexp.New(`(?m)^[ \t]*#.*$`)

// freshOfControllerGen is readFresh for a repository whose generated code is controller-gen's: tags alone decide nothing
// there, since its projects bear +genclient and +k8s:deepcopy-gen by habit. Only a script that makes clients does.
func (d *discovery) freshOfControllerGen(found roots) {
	for _, f := range d.Files {
		if f.Generator == controllerGen && path.Base(f.Path) == helpers[0].file {
			found.add(f.Dir, f.Path)
		}
	}
	d.setAPIs(found)
	d.clientsOfCalls()
	if d.callOf("gen_helpers") == "" {
		d.found.made = nil
		d.found.raw.Generators = []string{}
		d.set("generators", "controller-gen generates the code here")
	}
}

// notCompared lists files as not compared. tool has the version after the name, where that is known.
func (d *discovery) notCompared(kind, tool string, paths []string, reason string) {
	slices.Sort(paths)
	d.found.NotCompared = append(d.found.NotCompared, tree.NotCompared{Kind: kind, Tool: strings.TrimSpace(tool), Paths: paths, Reason: reason})
}

// listed reports whether a file is listed as not compared.
func (d *discovery) listed(file string) bool {
	return slices.ContainsFunc(d.found.NotCompared, func(n tree.NotCompared) bool { return slices.Contains(n.Paths, file) })
}

// notMade takes out the files that settings have crdctl make all the same: where the directory is given, and of kept calls what they
// generate. Which files that is, inference did not know.
func (d *discovery) notMade() (left []tree.NotCompared) {
	p := &d.found.raw
	names := map[string]string{"deepcopy": "object"}
	for _, n := range d.found.NotCompared {
		made := func(c config.ControllerGenCall) bool {
			return slices.Contains(c.Generators(), cmp.Or(names[n.Kind], n.Kind))
		}
		if d.keptCalls && slices.ContainsFunc(p.ControllerGen.Calls, made) {
			continue
		}
		dir := map[string]string{"crd": p.CRDs.Dir, "rbac": p.RBAC.Dir}[n.Kind]
		n.Paths = slices.DeleteFunc(slices.Clone(n.Paths), func(file string) bool { return dir != "" && path.Dir(file) == path.Clean(dir) })
		if len(n.Paths) > 0 {
			left = append(left, n)
		}
	}
	return left
}

// makes reports whether settings have crdctl make anything.
func makes(p *config.Project) bool {
	return len(p.ControllerGen.Calls) > 0 || len(p.Clients) > 0 || p.CRDs.Dir != "" || p.RBAC.Dir != "" || p.OpenAPI.Dir != "" || p.Generators == nil || len(p.Generators) > 0
}

// NothingError says that nothing of a repository's generated code is crdctl's to make or to compare.
type NothingError struct {
	// Found is what other tools made. It may be empty, where only a script calls one.
	Found []tree.NotCompared
	// Unread is what could not be read.
	Unread []Finding
	// Failed is set where calls of controller-gen were found, and none could run.
	Failed bool
}

func (e *NothingError) Error() string {
	if e.Failed {
		return "none of the generated code can be compared:\n  " + strings.Join(tree.Lines(e.Found), "\n  ")
	}
	var b strings.Builder
	b.WriteString("no code found that crdctl generates or compares")
	for _, line := range tree.Lines(e.Found) {
		b.WriteString("\n  found " + line)
	}
	for _, u := range e.Unread {
		if !u.Note {
			b.WriteString("\n  " + u.String())
		}
	}
	none := "there are none"
	if len(e.Found) > 0 {
		none = "there are no others"
	}
	b.WriteString("\n  looked for client trees, apply configurations, deep copies and other files of code-generator, and calls of kube_codegen.sh: " + none +
		"\n  looked for deep copies and CRDs of controller-gen, and its calls in makefiles, scripts and lines of go:generate: " + none + " that can be read" +
		"\nfor the calls of controller-gen, write controllerGen: {calls: [{paths: [./...], object: {}}]} to " + config.FileName +
		"; for a client tree of the types with +genclient, give its directory with --client-dir; for CRDs or the role made by crdctl, give --crd-dir or --rbac-dir")
	return b.String()
}
