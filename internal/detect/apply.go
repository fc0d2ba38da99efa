// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/controllergen"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

// applyTree is a tree of apply configurations.
type applyTree struct {
	dir      string
	self     string // its import path
	utils    *repo.GoFile
	packages []string // import paths of the API packages, sorted
	schema   string   // the place from which on the schema has types of its own; empty if it has none
	reversed bool     // whether the names of Kubernetes' own types are reversed in it
	untagged bool     // whether it lacks kinds
	foreign  bool     // whether it lacks kinds of packages that ask for definitions as a whole: those of another repository made it
	document string   // the file that a script has the schema made of; empty where none names one that is there
	externs  []external
}

var (
	withKind   = lazyregexp.New(`\b(\w+)\.SchemeGroupVersion\.WithKind\(`)
	schemaType = lazyregexp.New(`(?m)^- name: `)
)

// reversedName is Time.v1.meta.apis.pkg.apimachinery.k8s.io, for example.
var reversedName = lazyregexp.New(`(?m)^- name: \w+\.v\w+\.[\w.]+\.k8s\.io$`)

// undefinedType is a type that the schema lacks, or that may have any value.
var undefinedType = lazyregexp.New(`(?m)^- name: [^_\s]\S*\.(\w+)\n  scalar: untyped\n  list:$`)

// untypedTypes are in every schema.
const untypedTypes = 2

// external is a type whose apply configuration is in another module or tree.
type external struct {
	typ, to, source string
}

const clientGoApply = "k8s.io/client-go/applyconfigurations/"

// readApplyTrees finds all trees of apply configurations and gives each to the clientset that uses it.
func (d *discovery) readApplyTrees() {
	reasons := map[string]string{} // by the directory of apply configurations that are not of a tree
	var trees []string
	for _, f := range d.Files {
		internal := strings.HasSuffix(f.Path, "/internal/internal.go")
		if f.Generator != "applyconfiguration-gen" || path.Base(f.Path) != "utils.go" && (!internal || d.Exists(path.Join(path.Dir(f.Dir), "utils.go"))) {
			continue
		}
		a := &applyTree{dir: f.Dir, utils: f, packages: importsNamed(f, withKind, f.Data)}
		if internal { // utils.go is missing
			a.dir = path.Dir(f.Dir)
		}
		a.self = d.Modules.ImportPath(a.dir)
		t := d.userOf(a)
		if internal && t != nil {
			a.packages = t.packages
		}
		d.readApply(a)
		switch {
		case t == nil:
			reasons[a.dir] = "apply configurations without a clientset; crdctl generates them only next to a clientset, so these stay unchanged"
		case t.apply != nil:
			reasons[a.dir] = "a second tree of apply configurations for " + t.versioned + "; these stay unchanged"
		default:
			t.apply = a
			trees = append(trees, a.dir)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(reasons)) {
		d.leaveBelow(dir, "applyconfiguration", reasons[dir], trees...)
	}
}

// madeOtherwise is the import path of the apply configurations of controller-gen that the clients of a tree use, and the file that shows it.
func (d *discovery) madeOtherwise(t *clientTree) (self, source string) {
	for _, f := range d.Files {
		if self := d.Modules.ImportPath(f.Dir); f.Generator == controllergen.Name && path.Base(f.Path) == "utils.go" && self != "" && t.uses(self) {
			return self, f.Path
		}
	}
	return "", ""
}

// uses reports whether files of client-gen import a package or one below it.
func (t *clientTree) uses(importPath string) bool {
	return slices.ContainsFunc(t.files, func(f *repo.GoFile) bool { return f.Uses(func(p string) bool { return text.Below(importPath, p) }) })
}

// userOf is the clientset whose files import the apply configurations, or else the one with the most API packages
// in common.
func (d *discovery) userOf(a *applyTree) (best *clientTree) {
	most := 0
	for _, t := range d.trees {
		if t.uses(a.self) {
			return t
		}
		common := 0
		for _, p := range a.packages {
			if slices.Contains(t.packages, p) {
				common++
			}
		}
		if common > most {
			best, most = t, common
		}
	}
	return best
}

// readApply reads from the files of a tree of apply configurations what its flags were.
func (d *discovery) readApply(a *applyTree) {
	uses := map[extern]string{} // to the place of the first use
	for _, f := range d.Files {
		if f.Generator != "applyconfiguration-gen" || !text.Below(a.dir, f.Dir) {
			continue
		}
		if f.Path == path.Join(a.dir, "internal", "internal.go") {
			d.readSchema(a, f)
			continue
		}
		for name, in := range f.Imports() {
			if text.Below(a.self, in) || in == clientGoApply+"meta/v1" { // those of meta/v1 are known to upstream's generator
				continue
			}
			for typ, at := range applyUses(f.Data, name) {
				if key := (extern{in, typ}); uses[key] == "" {
					uses[key] = repo.At(f.Path, f.Line(at))
				}
			}
		}
	}
	if a.document = d.documentOf(a); a.foreign && a.document == "" {
		by := config.PostProcessed{Path: path.Join(a.dir, "internal", "internal.go"), By: config.UnknownCommand}
		for _, c := range d.applyCalls(a) {
			if word := c.flag("--openapi-schema"); word != "" {
				by.By = c.at() + ": --openapi-schema " + word
			}
		}
		d.PostProcess(by)
	}
	d.readExterns(a, uses)
}

// readSchema reads what internal.go tells: whether the generator was given a schema, and which types that had not.
func (d *discovery) readSchema(a *applyTree, f *repo.GoFile) {
	all := schemaType.FindAllIndex(f.Data, -1)
	if len(all) <= untypedTypes {
		return
	}
	a.schema = repo.At(f.Path, f.Line(all[0][0]))
	undefined := undefinedType.FindAllSubmatch(f.Data, -1)
	// Where the names that models give themselves are reversed as well, the generator finds no kind by its name.
	none := len(undefined) == len(all)-untypedTypes
	a.reversed = reversedName.Match(f.Data) || none && slices.ContainsFunc(d.Files, func(f *repo.GoFile) bool {
		return f.LineWith(modelNameMethod) > 0 && slices.Contains(a.packages, d.Modules.ImportPath(f.Dir))
	})
	for _, kind := range undefined {
		for _, f := range d.Files {
			if f.Generator == "applyconfiguration-gen" && text.Below(a.dir, f.Dir) && f.LineWith("func Extract"+string(kind[1])+"(") > 0 {
				a.untagged, a.foreign = true, a.foreign || f.Uses(d.isTaggedAsWhole)
			}
		}
	}
}

// extern is a type of an apply configuration that is elsewhere.
type extern struct{ importPath, typ string }

// readExterns finds the API types of the apply configurations that a tree takes from elsewhere.
func (d *discovery) readExterns(a *applyTree, uses map[extern]string) {
	keys := slices.SortedFunc(maps.Keys(uses), func(a, b extern) int {
		return cmp.Or(strings.Compare(a.importPath, b.importPath), strings.Compare(a.typ, b.typ))
	})
	for _, key := range keys {
		source := uses[key]
		from := cmp.Or(d.sourceOf(a, key.importPath, key.typ), d.sourceInCalls(a, key.importPath, key.typ))
		if from == "" {
			d.Ask(source, "apply configuration %s.%s of a type that is not found in the API packages; write applyConfigurationExternals: {PACKAGE.%s: %s}", key.importPath, key.typ, key.typ, key.importPath)
			continue
		}
		a.externs = append(a.externs, external{from + "." + key.typ, key.importPath, source})
	}
	slices.SortFunc(a.externs, func(x, y external) int { return strings.Compare(x.typ, y.typ) })
}

// isTaggedAsWhole reports whether a package of the repository asks for definitions of all its types.
func (d *discovery) isTaggedAsWhole(importPath string) bool {
	dir, ok := d.Modules.Dir(importPath)
	return ok && slices.ContainsFunc(d.ByDir[dir], func(f *repo.GoFile) bool { return path.Base(f.Path) == "doc.go" && f.Tags["openapi"] > 0 })
}

// documentOf is the OpenAPI document that a call names for a tree, if it is a file of the repository.
func (d *discovery) documentOf(a *applyTree) string {
	for _, c := range d.applyCalls(a) {
		word := cmp.Or(c.flag("--applyconfig-openapi-schema"), c.flag("--openapi-schema"))
		if file, exists := d.local(c, word); word != "" && exists {
			return file
		}
		if i := strings.LastIndexAny(word, "})"); i >= 0 && strings.HasPrefix(word, "$") {
			if file := d.vendored(a.packages, word[i+1:]); file != "" {
				return file
			}
		}
	}
	return ""
}

// vendored is a file of a module that is in vendor, and that has packages; "" if there is none.
func (d *discovery) vendored(packages []string, file string) string {
	for _, p := range packages {
		for module := p; module != "."; module = path.Dir(module) {
			if at := path.Join("vendor", module, file); d.Exists(at) {
				return at
			}
		}
	}
	return ""
}

// sourceInCalls is what sourceOf looks for, where a call names it.
func (d *discovery) sourceInCalls(a *applyTree, applyPath, typ string) string {
	for _, c := range d.applyCalls(a) {
		for from, to := range pairs(cmp.Or(c.flag("--applyconfig-externals"), c.flag("--external-applyconfigurations"))) {
			if pkg, ok := strings.CutSuffix(from, "."+typ); ok && to == applyPath {
				return pkg
			}
		}
	}
	return ""
}

// applyCalls are the calls that write a tree of apply configurations.
func (d *discovery) applyCalls(a *applyTree) []*call {
	return slices.DeleteFunc(d.calls("gen_client", "applyconfiguration-gen"), func(c *call) bool {
		dir, _ := d.local(c, c.flag("--output-dir"))
		return dir == "" || !text.Below(dir, a.dir)
	})
}

// applyUses are the types of an import of which a file uses apply configurations, with the first place of each. Regular expressions take
// far longer, and every verify reads all these files.
func applyUses(data []byte, name string) map[string]int {
	uses := map[string]int{}
	prefix := []byte(name + ".")
	for at := 0; ; {
		i := bytes.Index(data[at:], prefix)
		if i < 0 {
			return uses
		}
		begin := at + i
		at = begin + len(prefix)
		if begin > 0 && (data[begin-1] == '.' || isWord(data[begin-1])) {
			continue
		}
		end := at
		for end < len(data) && isWord(data[end]) {
			end++
		}
		if typ, ok := strings.CutSuffix(string(data[at:end]), "ApplyConfiguration"); ok && typ != "" {
			if _, known := uses[typ]; !known {
				uses[typ] = begin
			}
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// sourceOf is the import path of the type that an apply configuration of another tree is of: those of client-go are of k8s.io/api,
// others the API packages use. Of several packages with such a type it is the one with the same directories of group and version.
func (d *discovery) sourceOf(a *applyTree, applyPath, typ string) string {
	if gv, ok := strings.CutPrefix(applyPath, clientGoApply); ok {
		return "k8s.io/api/" + gv
	}
	use := regexp.MustCompile(`\b(\w+)\.` + typ + `\b`)
	var candidates []string
	for _, p := range a.packages {
		dir, ok := d.Modules.Dir(p)
		files, err := workspace.Glob(filepath.Join(d.Root, filepath.FromSlash(dir)), "*.go")
		if !ok || err != nil {
			continue
		}
		for _, file := range files {
			data, err := safefs.ReadFile(file, safefs.MaxFile)
			if err != nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			imports := repo.ImportsOf(file, data)
			for _, m := range use.FindAllSubmatch(data, -1) {
				if in, ok := imports[string(m[1])]; ok && !slices.Contains(candidates, in) {
					candidates = append(candidates, in)
				}
			}
		}
	}
	tail := func(p string) string { return path.Join(path.Base(path.Dir(p)), path.Base(p)) }
	slices.Sort(candidates)
	i := slices.IndexFunc(candidates, func(c string) bool { return len(candidates) == 1 || tail(c) == tail(applyPath) })
	if i < 0 {
		return ""
	}
	return candidates[i]
}
