// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// alwaysDefined are the packages that gen_openapi defines besides those with tags.
func (d *discovery) alwaysDefined() []string {
	all := []string{"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/version"}
	if minor, ok := minorOf(d.Version.Version); ok && minor < 35 {
		return all
	}
	return append(all, "k8s.io/apimachinery/pkg/api/resource")
}

var (
	packageClause  = lazyregexp.New(`(?m)^package (\w+)`)
	definedLiteral = lazyregexp.New(`(?m)^\t\t"([^"]+)\.\w+":\s`)
	definedByName  = lazyregexp.New(`(?m)^\t\t(\w+)\.\w+\{\}\.OpenAPIModelName\(\):\s`)
	definedHere    = lazyregexp.New(`(?m)^\t\t\w+\{\}\.OpenAPIModelName\(\):\s`)
)

// modelNameMethod is in the files of openapi-gen that give types the names of their models.
const modelNameMethod = ") OpenAPIModelName() string"

// readOpenAPI finds the OpenAPI definitions, and what they are made of.
func (d *discovery) readOpenAPI() {
	var definitions, names []*repo.GoFile
	for _, f := range d.Files {
		switch {
		case f.Generator != "openapi-gen":
		case f.LineWith("func GetOpenAPIDefinitions(") > 0:
			definitions = append(definitions, f)
		case f.LineWith(modelNameMethod) > 0:
			names = append(names, f)
		}
	}
	d.readDefinitions(definitions)
	d.readModelNames(names)
}

// readDefinitions takes the file of definitions that gen_openapi makes: of several, the one with the most packages that ask for it. The others
// are those of calls of their own.
func (d *discovery) readDefinitions(files []*repo.GoFile) {
	dirs, place := d.tagged("openapi", d.Settings.APIs)
	always := d.alwaysDefined()
	var best *repo.GoFile
	var without []string // the directories that ask, and are not in the best one
	var run []*repo.GoFile
	for _, f := range files {
		if d.leaveUnrun("openapi", "openapi-gen", []*repo.GoFile{f}, openAPIRunners, "gen_client", "gen_helpers", "generate-groups", "client-gen", "deepcopy-gen") {
			continue
		}
		run = append(run, f)
		defined := d.definedIn(f)
		if path.Base(f.Path) != config.OpenAPIFile || slices.ContainsFunc(always, func(p string) bool { return !slices.Contains(defined, p) }) {
			continue
		}
		missing := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return slices.Contains(defined, d.Modules.ImportPath(dir)) })
		if best == nil || len(missing) < len(without) {
			best, without = f, missing
		}
	}
	missing := best == nil && d.takeMissing(files, dirs)
	gone, at := d.missingDefinitions(files)
	if len(run) == 0 && !missing && len(gone) == 0 {
		return
	}
	pinned := d.pinOpenAPI()
	d.takeMissingCalls(gone, at, pinned)
	for _, f := range run {
		if f != best {
			d.addOpenAPICall(f, pinned)
		}
		d.readEdits(f)
	}
	if old := d.oldOpenAPI(); best != nil && pinned && old != "" {
		d.listOpenAPI(best, old)
		best = nil
	}
	if best == nil {
		if o := &d.Settings.OpenAPI; !o.IsSet() {
			o.Version, o.GengoVersion = "", ""
			delete(d.Sources, "openapi.version")
			delete(d.Sources, "openapi.gengoVersion")
		}
		return
	}
	without = slices.DeleteFunc(without, func(dir string) bool {
		others := slices.DeleteFunc(slices.Clone(files), func(f *repo.GoFile) bool { return f == best })
		leave := d.leftOut(dir, others)
		if leave {
			d.excludeFrom("openapi", dir, best.Path+" has none of its types")
			d.Note(place[dir], "asks for openapi-gen, and %s has none of its types; remove it from excludeFrom if it should", best.Path)
		}
		return leave
	})
	if len(without) > 0 {
		d.Ask(place[without[0]], "asks for openapi-gen, and %s has none of its types; crdctl would define them (%s), so remove the tag if it should not",
			best.Path, joined(without))
	}
	d.takeDefinitions(best, func(p string) bool {
		return slices.Contains(always, p) || slices.ContainsFunc(dirs, func(dir string) bool { return d.Modules.ImportPath(dir) == p })
	})
}

// takeDefinitions has gen_openapi make a file, with the packages that it defines besides those that it finds itself.
func (d *discovery) takeDefinitions(best *repo.GoFile, found func(pkg string) bool) {
	o := &d.Settings.OpenAPI
	o.Dir = best.Dir
	d.Set("openapi.dir", best.Path)
	if o.Package = d.otherPackage(best); o.Package != "" {
		d.Set("openapi.package", best.Path)
	}
	o.ExtraPackages = slices.DeleteFunc(slices.Sorted(slices.Values(d.definedIn(best))), found)
	if len(o.ExtraPackages) > 0 {
		d.Set("openapi.extraPackages", best.At("func GetOpenAPIDefinitions("))
	}
}

// addOpenAPICall adds a call that makes a file, if the version of openapi-gen is known: a script that calls it itself may have any.
func (d *discovery) addOpenAPICall(f *repo.GoFile, pinned bool) {
	o := &d.Settings.OpenAPI
	packages := slices.Sorted(slices.Values(d.definedIn(f)))
	gone := slices.IndexFunc(packages, func(p string) bool {
		dir, own := d.Modules.Dir(p)
		return own && !d.Exists(dir)
	})
	unknown := slices.IndexFunc(packages, func(p string) bool { return !d.provided(f.Dir, p) })
	switch {
	case len(packages) == 0:
		d.listOpenAPI(f, "it defines no type")
		return
	case gone >= 0:
		d.listOpenAPI(f, fmt.Sprintf("it defines types of %s, which does not exist", packages[gone]))
		return
	case unknown >= 0:
		d.listOpenAPI(f, fmt.Sprintf("it defines types of %s, and no go.mod requires a module with that package", packages[unknown]))
		return
	case !d.loaded(f.Dir):
		d.listOpenAPI(f, "it is in a module that those of the API packages do not see")
		return
	case !pinned:
		d.listOpenAPI(f, "no command that crdctl can read tells the version of openapi-gen; set openapi: {version: VERSION, calls: […]}")
		return
	case d.oldOpenAPI() != "":
		d.listOpenAPI(f, d.oldOpenAPI())
		return
	}
	c := config.OpenAPICall{Dir: f.Dir, Package: d.otherPackage(f), Packages: packages}
	if name := path.Base(f.Path); name != config.OpenAPIFile {
		c.File = name
	}
	d.Set(fmt.Sprintf("openapi.calls[%d]", len(o.Calls)), f.Path)
	o.Calls = append(o.Calls, c)
}

// oldOpenAPI says that the version of openapi-gen that was found is too old, or "".
func (d *discovery) oldOpenAPI() string {
	version := d.Settings.OpenAPI.Version
	if version == "" || semver.Compare(version, oldestOpenAPI) >= 0 {
		return ""
	}
	return fmt.Sprintf("openapi-gen %s (%s) is older than those that crdctl can run", version, d.Sources["openapi.version"][0])
}

// provided reports whether a package may be of a module that the go command knows in a directory. A go.mod of before Go 1.17 does not name all.
func (d *discovery) provided(dir, pkg string) bool {
	own, _ := d.Modules.Of(dir)
	if _, local := d.Modules.Dir(pkg); local || !own.NamesAll() {
		return true
	}
	for p := pkg; p != "."; p = path.Dir(p) {
		if version, _ := d.chosen(dir, p, true); version != "" {
			return true
		}
	}
	return false
}

// loaded reports whether the go command finds the packages of a directory where the API packages are loaded: in their module, or in one that this
// requires or that is in its workspace.
func (d *discovery) loaded(dir string) bool {
	_, at := d.Modules.Of(dir)
	sees := func(from, to string) bool {
		version, _ := d.Modules.ByDir[from].Requirement(d.Modules.ImportPath(to))
		return from == to || version != "" || d.workspaceOf(from) != "" && d.workspaceOf(from) == d.workspaceOf(to)
	}
	if len(d.Settings.APIs) == 0 {
		return sees(".", at)
	}
	return slices.ContainsFunc(d.Settings.APIs, func(api string) bool {
		_, from := d.Modules.Of(api)
		return sees(from, at) || sees(".", from) && sees(".", at)
	})
}

// readEdits records the commands of the scripts that change a file of definitions in place, or may do so.
func (d *discovery) readEdits(f *repo.GoFile) {
	for _, s := range d.scripts {
		generates := slices.ContainsFunc(s.calls, func(c call) bool { return c.name == "openapi-gen" || c.name == "gen_openapi" })
		for _, e := range s.edits {
			if slices.ContainsFunc(e.files, func(p string) bool {
				same, _ := path.Match(p, f.Path)
				return same || generates && p != "" && text.Below(p, f.Path) && d.Exists(p) // what find lists there
			}) || generates && e.files[len(e.files)-1] == "" { // a variable
				d.PostProcess(e.On(f.Path))
			}
		}
	}
}

// otherPackage is the name of a file's package where it is not that of its directory, as --output-pkg=main for a program; "" elsewhere.
func (d *discovery) otherPackage(f *repo.GoFile) string {
	if m := packageClause.FindSubmatch(f.Data); m != nil && string(m[1]) != path.Base(d.Modules.ImportPath(f.Dir)) {
		return string(m[1])
	}
	return ""
}

// leftOut reports whether a package with the tag is meant to have no definitions: others have them, or a script names the packages one
// by one. gen_openapi goes by tags below the directories that it is given.
func (d *discovery) leftOut(dir string, others []*repo.GoFile) bool {
	if slices.ContainsFunc(others, func(f *repo.GoFile) bool { return slices.Contains(d.definedIn(f), d.Modules.ImportPath(dir)) }) {
		return true
	}
	named, _ := d.inputsOf("openapi-gen")
	if d.callOf("gen_openapi") == "" {
		return !slices.Contains(named, dir)
	}
	below, _ := d.inputsOf("gen_openapi")
	return len(below) > 0 && !slices.Contains(named, dir) && !slices.ContainsFunc(below, func(b string) bool { return text.Below(b, dir) })
}

// definedIn are the packages whose types a file defines: the keys of its map.
func (d *discovery) definedIn(f *repo.GoFile) []string {
	_, keys, _ := bytes.Cut(f.Data, []byte("func GetOpenAPIDefinitions("))
	keys, _, _ = bytes.Cut(keys, []byte("\n}"))
	defined := importsNamed(f, definedByName, keys)
	for _, m := range definedLiteral.FindAllSubmatch(keys, -1) {
		if p := string(m[1]); !slices.Contains(defined, p) {
			defined = append(defined, p)
		}
	}
	if here := d.Modules.ImportPath(f.Dir); definedHere.Match(keys) && !slices.Contains(defined, here) {
		defined = append(defined, here)
	}
	return defined
}

// listOpenAPI lists a file of openapi-gen as not compared: it can be stale like those that crdctl makes.
func (d *discovery) listOpenAPI(f *repo.GoFile, reason string) {
	d.List("openapi", "openapi-gen", []string{f.Path}, reason+"; it stays unchanged")
}

func (d *discovery) readModelNames(files []*repo.GoFile) {
	o := &d.Settings.OpenAPI
	for _, f := range files {
		if o.ModelNameFile == "" {
			o.ModelNameFile = path.Base(f.Path)
			d.Set("openapi.modelNameFile", f.Path)
		}
		switch {
		case path.Base(f.Path) != o.ModelNameFile:
			d.listOpenAPI(f, "crdctl writes model names to "+o.ModelNameFile+" only")
		case !o.IsSet():
			d.listOpenAPI(f, "crdctl writes model names with OpenAPI definitions only, and generates none here; set openapi: {dir: DIRECTORY}")
		case !d.namesModels(f.Dir):
			d.listOpenAPI(f, "crdctl writes model names with OpenAPI definitions only, and generates none of this package")
		}
	}
	for _, c := range d.calls("gen_openapi") {
		if dir, _ := d.local(c, c.flag("--output-dir")); o.ModelNameFile == "" && o.Dir != "" && dir == o.Dir && c.has("--output-model-name-file") && !strings.Contains(c.flag("--output-model-name-file"), "$") {
			o.ModelNameFile = c.flag("--output-model-name-file") // all are missing
			d.Set("openapi.modelNameFile", c.at())
		}
	}
}

// namesModels reports whether crdctl generates the model names of a package: with definitions of it.
func (d *discovery) namesModels(dir string) bool {
	o := &d.Settings.OpenAPI
	return o.Dir != "" || slices.ContainsFunc(o.Calls, func(c config.OpenAPICall) bool { return slices.Contains(c.Packages, d.Modules.ImportPath(dir)) })
}
