// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/controllergen"
	"github.com/crdctl/crdctl/internal/tree"
)

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
	return fmt.Sprintf("%s (%s in %s, %s)", strings.TrimSpace(controllergen.Name+" "+f.Project.ControllerGen.Version), strings.Join(named, ", "), count, f.Sources["controllerGen.calls[0]"][0])
}

// onlyControllerGen takes away what counts for code-generator alone where it makes nothing.
func (d *discovery) onlyControllerGen() {
	p := &d.Settings
	if len(p.Clients) > 0 || p.OpenAPI.IsSet() || p.Generators == nil || len(p.Generators) > 0 {
		return
	}
	p.Boilerplate, p.CodeGeneratorVersion, d.Version = "", "", Version{}
	delete(d.Sources, "boilerplate")
	delete(d.Sources, "codeGeneratorVersion")
	d.Unread = slices.DeleteFunc(d.Unread, func(f Finding) bool { return strings.Contains(f.Text, "code-generator") })
}

// leaveTo takes out of calls what settings have crdctl make all the same, as a project of its own has it.
func leaveTo(p *config.Project) {
	kept := p.ControllerGen.Calls[:0]
	for i := range p.ControllerGen.Calls {
		c := &p.ControllerGen.Calls[i]
		for name, dir := range map[string]string{"crd": p.CRDs.Dir, "rbac": p.RBAC.Dir} {
			if out, ok := c.OutputDir(name); ok && dir != "" && out == path.Clean(dir) {
				controllergen.Drop(c, name)
			}
		}
		if len(c.Generators()) > 0 {
			kept = append(kept, *c)
		}
	}
	p.ControllerGen.Calls = kept
}

// freshOfControllerGen is readFresh for a repository whose generated code is controller-gen's: tags alone decide nothing
// there, since its projects bear +genclient and +k8s:deepcopy-gen by habit. Only a script does that makes clients, or gives packages to a generator.
func (d *discovery) freshOfControllerGen(found roots) {
	for _, f := range d.Files {
		if f.Generator == controllergen.Name && path.Base(f.Path) == helpers[0].file {
			found.add(f.Dir, f.Path)
		}
	}
	d.setAPIs(found)
	d.clientsOfCalls()
	if d.callOf("gen_helpers") != "" {
		return
	}
	d.made, d.Settings.Generators = nil, []string{}
	source := "controller-gen generates the code here"
	for _, h := range helpers {
		if asking, _ := d.tagged(h.name, d.Settings.APIs); d.takeGiven(h, asking) {
			d.made = append(d.made, h.name)
			d.Settings.Generators = append(d.Settings.Generators, h.name)
			source = cmp.Or(d.callOf(h.tool), d.callOf("gen_register"), d.callOf("generate-groups"))
		}
	}
	d.Set("generators", source)
}

// notMade takes out the files that settings have crdctl make all the same: where the directory is given, and of kept calls what they
// generate. Which files that is, inference did not know.
func (d *discovery) notMade() (left []tree.NotCompared) {
	p := &d.Settings
	names := map[string]string{"deepcopy": "object"}
	for _, n := range d.NotCompared {
		made := func(c config.ControllerGenCall) bool {
			return slices.Contains(c.Generators(), cmp.Or(names[n.Kind], n.Kind))
		}
		if d.keptCalls && slices.ContainsFunc(p.ControllerGen.Calls, made) {
			continue
		}
		dir := map[string]string{"crd": p.CRDs.Dir, "rbac": p.RBAC.Dir}[n.Kind]
		n.Paths = slices.DeleteFunc(slices.Clone(n.Paths), func(file string) bool {
			return dir != "" && path.Dir(file) == path.Clean(dir) || n.Kind == "openapi" && d.makesOpenAPI(file)
		})
		if len(n.Paths) > 0 {
			left = append(left, n)
		}
	}
	return left
}

// makes reports whether settings have crdctl make anything.
func makes(p *config.Project) bool {
	return len(p.ControllerGen.Calls) > 0 || len(p.Clients) > 0 || p.CRDs.Dir != "" || p.RBAC.Dir != "" || p.OpenAPI.IsSet() ||
		len(p.APIs) > 0 && (p.Generators == nil || len(p.Generators) > 0)
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

// nothing is the error with what is listed, with the CRDs of the repository's own types that are not, and with the deep copies that were deleted.
func (d *discovery) nothing() *NothingError {
	found := slices.Clone(d.NotCompared)
	for _, m := range d.Manifests {
		if m.IsOf(d.kinds) && !d.Listed(m.Path) {
			found = append(found, tree.NotCompared{
				Kind: "crd", Tool: controllergen.Name + " " + m.Version, Paths: []string{m.Path},
				Reason: "no readable call of controller-gen generates it; set controllerGen: {calls: […]}",
			})
		}
	}
	if len(d.deleted) > 0 {
		found = append(found, d.Unaccounted(func(string) bool { return false })...)
	}
	return &NothingError{Found: found}
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
