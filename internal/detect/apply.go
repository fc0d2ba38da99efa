package detect

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// applyTree is a tree of apply configurations.
type applyTree struct {
	dir      string
	self     string // its import path
	utils    *repo.GoFile
	packages []string // import paths of the API packages, sorted
	schema   int      // the line from which on the schema has types of its own; 0 if it has none
	internal *repo.GoFile
	externs  []external
}

var (
	withKind   = regexp.MustCompile(`\b(\w+)\.SchemeGroupVersion\.WithKind\(`)
	applyName  = regexp.MustCompile(`^(\w+)ApplyConfiguration\b`)
	schemaType = regexp.MustCompile(`(?m)^- name: `)
)

// untypedTypes are in every schema.
const untypedTypes = 2

// external is a type whose apply configuration is in another module or tree.
type external struct {
	typ, to, source string
}

const clientGoApply = "k8s.io/client-go/applyconfigurations/"

// builtIn is the package whose apply configurations upstream always knows.
func builtIn(importPath string) bool { return importPath == clientGoApply+"meta/v1" }

// readApplyTrees finds all trees of apply configurations and gives each to the clientset that uses it.
func (d *discovery) readApplyTrees() {
	for _, f := range d.Files {
		if f.Generator != "applyconfiguration-gen" || path.Base(f.Path) != "utils.go" {
			continue
		}
		a := &applyTree{dir: f.Dir, self: d.Modules.ImportPath(f.Dir), utils: f, packages: packagesOf(f, withKind)}
		d.readApply(a)
		t := d.userOf(a)
		switch {
		case t == nil:
			d.unread(f.Path, 0, "apply configurations of no clientset here; crdctl makes them next to a clientset only, so these stay as they are")
		case t.apply != nil:
			d.unread(f.Path, 0, "a second tree of apply configurations for %s; these stay as they are", t.versioned)
		default:
			t.apply = a
		}
	}
}

// userOf is the clientset whose files import the apply configurations, or else the one with the most API packages
// in common.
func (d *discovery) userOf(a *applyTree) *clientTree {
	var best *clientTree
	most := 0
	for _, t := range d.trees {
		common := 0
		for _, p := range a.packages {
			if slices.Contains(t.packages, p) {
				common++
			}
		}
		for _, f := range t.files {
			for _, in := range f.Imports() {
				if repo.Below(a.self, in.Path) {
					return t
				}
			}
		}
		if common > most {
			best, most = t, common
		}
	}
	return best
}

// readApply reads what the files of a tree of apply configurations tell of its flags.
func (d *discovery) readApply(a *applyTree) {
	uses := map[[2]string]string{} // import path and type, to the place of the first use
	for _, f := range d.Files {
		if f.Generator != "applyconfiguration-gen" || !repo.Below(a.dir, f.Dir) {
			continue
		}
		if f.Path == path.Join(a.dir, "internal", "internal.go") {
			a.internal = f
			if all := schemaType.FindAllIndex(f.Data, untypedTypes+1); len(all) > untypedTypes {
				a.schema = f.Line(all[0][0])
			}
			continue
		}
		for alias, in := range f.Imports() {
			if repo.Below(a.self, in.Path) || builtIn(in.Path) || !bytes.Contains(f.Data, []byte(alias+".")) {
				continue
			}
			for typ, line := range applyUses(f, alias) {
				key := [2]string{in.Path, typ}
				if place, ok := uses[key]; !ok || repo.At(f.Path, line) < place {
					uses[key] = repo.At(f.Path, line)
				}
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(uses), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		source := uses[key]
		typ := d.sourceType(a, key[0], key[1])
		if typ == "" {
			d.unread(source, 0, "apply configuration %s.%s of a type that is not found in the API packages; write applyConfigurationExternals: {PACKAGE.%s: %s}", key[0], key[1], key[1], key[0])
			continue
		}
		a.externs = append(a.externs, external{typ, key[0], source})
	}
	slices.SortFunc(a.externs, func(x, y external) int { return strings.Compare(x.typ, y.typ) })
}

// applyUses are the types whose apply configurations a file uses of an import, with the line of the first use.
func applyUses(f *repo.GoFile, alias string) map[string]int {
	var uses map[string]int
	prefix := []byte(alias + ".")
	for from := 0; ; {
		i := bytes.Index(f.Data[from:], prefix)
		if i < 0 {
			return uses
		}
		start := from + i
		from = start + len(prefix)
		if start > 0 && (isWord(f.Data[start-1]) || f.Data[start-1] == '.') {
			continue // the end of a longer name
		}
		m := applyName.FindSubmatch(f.Data[from:min(from+200, len(f.Data))])
		if m == nil {
			continue
		}
		if uses == nil {
			uses = map[string]int{}
		}
		if _, ok := uses[string(m[1])]; !ok {
			uses[string(m[1])] = f.Line(start)
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// sourceType is the type, with its import path, that an apply configuration of another tree is of: the API packages
// have a field of it. Several packages may have a type of the name: the one with the same group and version folders is meant.
func (d *discovery) sourceType(a *applyTree, applyPath, typ string) string {
	var candidates []string
	for _, p := range a.packages {
		if dir, ok := d.Modules.Dir(p); ok {
			candidates = append(candidates, d.fieldTypes(dir)[typ]...)
		}
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	if len(candidates) == 1 {
		return candidates[0] + "." + typ
	}
	for _, c := range candidates {
		if tail(c) == tail(applyPath) {
			return c + "." + typ
		}
	}
	// A field of an embedded struct of another module is not in the API packages. client-go's are known.
	if gv, ok := strings.CutPrefix(applyPath, clientGoApply); ok {
		return "k8s.io/api/" + gv + "." + typ
	}
	return ""
}

func tail(p string) string { return path.Join(path.Base(path.Dir(p)), path.Base(p)) }
