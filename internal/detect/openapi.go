// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// openAPIFile is the name that kube_codegen.sh's gen_openapi gives its output.
const openAPIFile = "zz_generated.openapi.go"

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

// readDefinitions takes the file of definitions that crdctl would make too: of several, the one with the most packages
// that ask for it.
func (d *discovery) readDefinitions(files []*repo.GoFile) {
	dirs, place := d.tagged("openapi", d.Settings.APIs)
	always := d.alwaysDefined()
	var best *repo.GoFile
	var without []string // the directories that ask, and are not in the best one
	var usable []*repo.GoFile
	for _, f := range files {
		if d.leaveUnrun("openapi", "openapi-gen", []*repo.GoFile{f}, openAPIRunners, "gen_client", "gen_helpers", "generate-groups", "client-gen", "deepcopy-gen") {
			continue
		}
		if path.Base(f.Path) != openAPIFile {
			d.listOpenAPI(f, "crdctl writes "+openAPIFile+" only")
			continue
		}
		defined := d.definedIn(f)
		if i := slices.IndexFunc(always, func(p string) bool { return !slices.Contains(defined, p) }); i >= 0 {
			d.listOpenAPI(f, fmt.Sprintf("has no type of %s, which kube_codegen.sh and crdctl always define, so openapi: {dir: %s} would change it", always[i], f.Dir))
			continue
		}
		usable = append(usable, f)
		missing := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return slices.Contains(defined, d.Modules.ImportPath(dir)) })
		if best == nil || len(missing) < len(without) {
			best, without = f, missing
		}
	}
	if best == nil {
		return
	}
	for _, f := range usable {
		if f != best {
			d.listOpenAPI(f, "crdctl generates one file of OpenAPI definitions, and that is in "+best.Dir)
		}
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
	o := &d.Settings.OpenAPI
	o.Dir = best.Dir
	d.Set("openapi.dir", best.Path)
	if m := packageClause.FindSubmatch(best.Data); m != nil && string(m[1]) != path.Base(d.Modules.ImportPath(best.Dir)) {
		o.Package = string(m[1]) // as --output-pkg=main for a program
		d.Set("openapi.package", best.At(string(m[0])))
	}
	d.pinOpenAPI()
	extra := slices.Sorted(slices.Values(d.definedIn(best)))
	o.ExtraPackages = slices.DeleteFunc(extra, func(p string) bool {
		return slices.Contains(always, p) || slices.ContainsFunc(dirs, func(dir string) bool { return d.Modules.ImportPath(dir) == p })
	})
	if len(o.ExtraPackages) > 0 {
		d.Set("openapi.extraPackages", best.At("func GetOpenAPIDefinitions("))
	}
}

// openAPIPin is a version of openapi-gen, which has its own module and no releases, in a script or makefile.
var openAPIPin = lazyregexp.New(`openapi-gen[=@](v0\.0\.0-\d{14}-[0-9a-f]{12})\b`)

// openAPIProgram is what a script installs or runs where go.mod has the version.
const (
	openAPIModule  = "k8s.io/kube-openapi"
	openAPIProgram = openAPIModule + "/cmd/openapi-gen"
	gengoModule    = "k8s.io/gengo/v2"
)

// pinOpenAPI sets the version of openapi-gen where a script does not take the one that code-generator requires: the script names it, or has
// the go command build that of go.mod, with the gengo of go.mod.
func (d *discovery) pinOpenAPI() {
	o := &d.Settings.OpenAPI
	for _, t := range d.Texts {
		if m := openAPIPin.FindSubmatchIndex(t.Data); m != nil {
			o.Version = string(t.Data[m[2]:m[3]])
			d.Set("openapi.version", repo.At(t.Path, repo.LineOf(t.Data, m[2])))
			return
		}
	}
	functions := d.callOf("gen_openapi") != "" && d.callOf("openapi-gen") == ""
	for _, s := range d.scripts {
		if functions && !slices.ContainsFunc(s.calls, func(c call) bool { return c.name == "gen_openapi" }) {
			continue // what it builds is for another purpose: gen_openapi builds its own where code-generator is
		}
		if dir, ok := strings.CutPrefix(s.openAPIDir, shell.Root); ok {
			_, module := d.Modules.Of(path.Clean("." + dir))
			require := func(path, setting string, version *string) {
				var at string
				if *version, at = d.Modules.ByDir[module].Requirement(path); *version != "" {
					d.Set(setting, at)
				}
			}
			require(openAPIModule, "openapi.version", &o.Version)
			if !s.openAPIAlone {
				require(gengoModule, "openapi.gengoVersion", &o.GengoVersion)
			}
			return
		}
	}
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
		case o.Dir == "":
			d.listOpenAPI(f, "crdctl writes model names with OpenAPI definitions only, and generates none here; set openapi: {dir: DIRECTORY}")
		}
	}
}
