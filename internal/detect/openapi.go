package detect

import (
	"bytes"
	"path"
	"regexp"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// openAPIFile is the name that kube_codegen.sh's gen_openapi gives its output.
const openAPIFile = "zz_generated.openapi.go"

// alwaysDefined are the packages that gen_openapi defines besides those with tags.
func (d *discovery) alwaysDefined() []string {
	all := []string{"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/version"}
	if minor, ok := minorOf(d.found.Version.Version); ok && minor < 35 {
		return all
	}
	return append(all, "k8s.io/apimachinery/pkg/api/resource")
}

var (
	definedLiteral = regexp.MustCompile(`(?m)^\t\t"([^"]+)\.\w+":\s`)
	definedByName  = regexp.MustCompile(`(?m)^\t\t(\w+)\.\w+\{\}\.OpenAPIModelName\(\):\s`)
	definedHere    = regexp.MustCompile(`(?m)^\t\t\w+\{\}\.OpenAPIModelName\(\):\s`)
)

// readOpenAPI finds the OpenAPI definitions, and what they are made of.
func (d *discovery) readOpenAPI() {
	var definitions, names []*repo.GoFile
	for _, f := range d.Files {
		switch {
		case f.Generator != "openapi-gen":
		case f.LineWith("func GetOpenAPIDefinitions(") > 0:
			definitions = append(definitions, f)
		case f.LineWith(") OpenAPIModelName() string") > 0:
			names = append(names, f)
		}
	}
	d.readDefinitions(definitions)
	d.readModelNames(names)
}

// readDefinitions takes the file of definitions that crdctl would make too: of several, the one with the most packages
// that ask for it.
func (d *discovery) readDefinitions(files []*repo.GoFile) {
	dirs, place := d.tagged("openapi", d.found.raw.APIs)
	always := d.alwaysDefined()
	var best *repo.GoFile
	var without []string // the directories that ask, and are not in the best one
	var usable []*repo.GoFile
	for _, f := range files {
		if path.Base(f.Path) != openAPIFile {
			d.unread(f.Path, "made by openapi-gen under another name than %s, the only one that crdctl writes; it stays as it is", openAPIFile)
			continue
		}
		defined := d.definedIn(f)
		if i := slices.IndexFunc(always, func(p string) bool { return !slices.Contains(defined, p) }); i >= 0 {
			d.unread(f.Path, "has no type of %s, which kube_codegen.sh and crdctl always define; the file stays as it is, and openapi: {dir: %s} would change it",
				always[i], f.Dir)
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
			d.unread(f.Path, "a second file of OpenAPI definitions, besides %s; crdctl makes one, so this stays as it is", best.Dir)
		}
	}
	if version, at := d.pinOfOpenAPI(); version != "" {
		d.notCompared("openapi", "openapi-gen "+version, []string{best.Path}, at+" pins this version of openapi-gen, and crdctl has the one that code-generator requires; openapi: {dir: "+best.Dir+"} compares it all the same")
		return
	}
	without = slices.DeleteFunc(without, func(dir string) bool {
		others := slices.DeleteFunc(slices.Clone(files), func(f *repo.GoFile) bool { return f == best })
		leave := d.leftOut(dir, others)
		if leave {
			d.excludeFrom("openapi", dir, best.Path+" has none of its types")
			d.note(place[dir], "asks for openapi-gen, and %s has none of its types; take it out of excludeFrom if it is to", best.Path)
		}
		return leave
	})
	if len(without) > 0 {
		d.unread(place[without[0]], "asks for openapi-gen, and %s has none of its types; crdctl would define them (%s), so take the tag out if it is not to",
			best.Path, joined(without))
	}
	o := &d.found.raw.OpenAPI
	o.Dir = best.Dir
	d.set("openapi.dir", best.Path)
	extra := slices.Sorted(slices.Values(d.definedIn(best)))
	o.ExtraPackages = slices.DeleteFunc(extra, func(p string) bool {
		return slices.Contains(always, p) || slices.ContainsFunc(dirs, func(dir string) bool { return d.Modules.ImportPath(dir) == p })
	})
	if len(o.ExtraPackages) > 0 {
		d.set("openapi.extraPackages", best.At("func GetOpenAPIDefinitions("))
	}
}

// openAPIPin is a version of openapi-gen, which has its own module and no releases, in a script or makefile.
var openAPIPin = regexp.MustCompile(`openapi-gen[=@](v0\.0\.0-\d{14}-[0-9a-f]{12})\b`)

// pinOfOpenAPI is the version of openapi-gen that a script pins apart from code-generator, and the place.
func (d *discovery) pinOfOpenAPI() (version, at string) {
	for _, t := range d.Texts {
		if m := openAPIPin.FindSubmatchIndex(t.Data); m != nil {
			return string(t.Data[m[2]:m[3]]), repo.At(t.Path, repo.LineOf(t.Data, m[2]))
		}
	}
	return "", ""
}

// leftOut reports whether a package with the tag is meant to have no definitions: others have them, or a script names the packages one
// by one. gen_openapi alone goes by tags.
func (d *discovery) leftOut(dir string, others []*repo.GoFile) bool {
	if slices.ContainsFunc(others, func(f *repo.GoFile) bool { return slices.Contains(d.definedIn(f), d.Modules.ImportPath(dir)) }) {
		return true
	}
	named, _ := d.inputsOf("openapi-gen")
	return d.callOf("gen_openapi") == "" && !slices.Contains(named, dir)
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

func (d *discovery) readModelNames(files []*repo.GoFile) {
	o := &d.found.raw.OpenAPI
	for _, f := range files {
		switch base := path.Base(f.Path); o.ModelNameFile {
		case base:
		case "":
			o.ModelNameFile = base
			d.set("openapi.modelNameFile", f.Path)
			if o.Dir == "" {
				d.unread(f.Path, "model names without OpenAPI definitions in the tree that crdctl makes; they stay as they are until openapi: {dir: DIRECTORY} says where definitions go")
			}
		default:
			d.unread(f.Path, "model names in a file of another name than %s; crdctl writes one name, so this stays as it is", o.ModelNameFile)
		}
	}
}
