package detect

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/tree"
)

// controllerGen is the name of the tool in the files that it makes.
const controllerGen = "controller-gen"

var (
	// callsControllerGen finds a call of controller-gen in a script, by its name or by the usual variable.
	callsControllerGen = regexp.MustCompile(`(?m)\bcontroller-gen\b|\$[({]?CONTROLLER_GEN\b`)
	// crdOption and roleOption find the options that make other files than crdctl's, and pathsOption the packages of a call.
	crdOption   = regexp.MustCompile(`\bcrd:(?:allowDangerousTypes|crdVersions|deprecatedV1beta1|generateEmbeddedObjectMeta|headerFile|ignoreUnexportedFields|maxDescLen|omitToolVersion|preserveUnknownFields|trivialVersions|year)[^\s"'\\]*`)
	roleOption  = regexp.MustCompile(`\brbac:[^\s"'\\]*\b(?:fileName|headerFile|year)=[^\s"'\\]*`)
	pathsOption = regexp.MustCompile(`\bpaths=["']?[^\s"'\\]+`)
)

// readControllerGen lists what controller-gen makes here and crdctl does not. CRDs and the role are for others to list:
// crdctl can make those.
func (d *discovery) readControllerGen() {
	byKind := map[string][]string{}
	for _, f := range d.Files {
		if f.Generator != controllerGen {
			continue
		}
		kind := "applyconfiguration"
		if strings.HasPrefix(path.Base(f.Path), "zz_generated.") {
			kind = "deepcopy"
		}
		byKind[kind] = append(byKind[kind], f.Path)
	}
	if d.hasMarker("webhook") {
		byKind["webhook"] = d.Webhooks
	}
	for _, kind := range []string{"deepcopy", "applyconfiguration", "webhook"} {
		if files := byKind[kind]; len(files) > 0 {
			d.notCompared(kind, controllerGen, files, "crdctl does not make the files of this tool")
		}
	}
}

// byControllerGen reports whether controller-gen made anything here, or a script calls it.
func (d *discovery) byControllerGen() bool {
	return slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool { return f.Generator == controllerGen }) ||
		len(d.ownManifests()) > 0 ||
		len(d.Roles) > 0 && d.hasMarker("rbac") ||
		len(d.Webhooks) > 0 && d.hasMarker("webhook") ||
		slices.ContainsFunc(d.Texts, func(t repo.Script) bool { return callsControllerGen.Match(withoutComments(t.Data)) })
}

// hasMarker reports whether any file has one of controller-gen's markers.
func (d *discovery) hasMarker(name string) bool {
	return slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool { return f.Tags[name] > 0 })
}

// callWith is the first text that a pattern finds in scripts that call controller-gen, in a line with some other text,
// and its place.
func (d *discovery) callWith(pattern *regexp.Regexp, in string, but ...string) (text, place string) {
	for _, t := range d.Texts {
		data := withoutComments(t.Data)
		if !callsControllerGen.Match(data) {
			continue
		}
		for _, at := range continued.FindAllIndex(data, -1) {
			line := data[at[0]:at[1]]
			for _, m := range pattern.FindAllIndex(line, -1) {
				if found := string(line[m[0]:m[1]]); bytes.Contains(line, []byte(in)) && !slices.Contains(but, found) {
					return found, repo.At(t.Path, repo.LineOf(data, at[0]+m[0]))
				}
			}
		}
	}
	return "", ""
}

// continued is a line with those that continue it.
var continued = regexp.MustCompile(`(?:[^\n]*\\\r?\n)*[^\n]+`)

var commentLine = regexp.MustCompile(`(?m)^[ \t]*#.*$`)

// withoutComments is a script in which every line that is a comment is empty, with every line in its place.
func withoutComments(script []byte) []byte {
	if !bytes.Contains(script, []byte("ontroller")) && !bytes.Contains(script, []byte("CONTROLLER_GEN")) {
		return nil // it calls nothing of interest
	}
	return commentLine.ReplaceAll(script, nil)
}

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
		d.set("generators", "controller-gen makes the generated code here")
	}
}

func (d *discovery) notCompared(kind, tool string, paths []string, reason string) {
	slices.Sort(paths)
	d.found.NotCompared = append(d.found.NotCompared, tree.NotCompared{Kind: kind, Tool: tool, Paths: paths, Reason: reason})
}

// madeAnyway reports whether settings have crdctl make the files all the same.
func madeAnyway(n tree.NotCompared, p *config.Project) bool {
	dir := map[string]string{"crd": p.CRDs.Dir, "rbac": p.RBAC.Dir}[n.Kind]
	return dir != "" && path.Dir(n.Paths[0]) == path.Clean(dir)
}

// makes reports whether settings have crdctl make anything.
func makes(p *config.Project) bool {
	return len(p.Clients) > 0 || p.CRDs.Dir != "" || p.RBAC.Dir != "" || p.OpenAPI.Dir != "" || p.Generators == nil || len(p.Generators) > 0
}

// NothingError says that nothing of a repository's generated code is crdctl's to make or to compare.
type NothingError struct {
	// Found is what other tools made. It may be empty, where only a script calls one.
	Found []tree.NotCompared
}

func (e *NothingError) Error() string {
	var b strings.Builder
	b.WriteString("nothing was found that crdctl generates or compares here")
	for _, n := range e.Found {
		b.WriteString("\n  found " + n.String())
	}
	b.WriteString("\n  looked for client trees, apply configurations, deep copies and other files of code-generator, calls of kube_codegen.sh," +
		" and CRDs that crdctl makes as controller-gen did: there are none" +
		"\nfor a client tree of the types with +genclient, give its folder with --client-dir; for CRDs or the role made by crdctl, give --crd-dir or --rbac-dir")
	return b.String()
}
