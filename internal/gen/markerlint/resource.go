package markerlint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/crdgen"
	"github.com/crdctl/crdctl/internal/gen/naming"
)

// ClientTree is a tree of clients, and the folders of the packages that it has clients for.
type ClientTree struct {
	Dir              string
	APIs             []string
	PluralExceptions map[string]string
}

// served is a kind that gets a CRD.
type served struct {
	pkg  *pkg
	file *file
	kind *kind
	crd  crdgen.Resource
}

// resources finds the kinds whose CRD has another name than the one that their clients ask the API server for. Each side
// has rules of its own for plurals, both generate well, and the controller never sees an object.
func resources(pkgs []*pkg, families Families) ([]Finding, error) {
	kinds, err := servedKinds(pkgs, families.CRDs)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, k := range kinds {
		given := k.given(kinds)
		if len(given) > 0 && k.crd.Path != "" && k.crd.Path != given[0].crd.Path {
			first := given[0].file.fset.Position(given[0].kind.spec.Name.Pos())
			found = append(found, k.find("the CRD of %s can't have both plurals, %s and that of another version (%s:%d:%d), %s; write one path in both // +kubebuilder:resource",
				k.crd.Kind, k.crd.Path, given[0].file.path, first.Line, first.Column, given[0].crd.Path))
		}
		if len(given) > 1 || k.pkg.clashes {
			continue // one of the plurals is taken by chance, or which of them is wrong is told already
		}
		for _, tree := range families.Clients {
			if message := k.compare(tree, len(given) > 0); message != "" {
				found = append(found, k.find("%s", message))
				break // one mend at a time: it changes what the other trees ask for
			}
		}
	}
	return found, nil
}

// servedKinds are the kinds of the packages in dirs, in the order of their places.
func servedKinds(pkgs []*pkg, dirs []string) ([]served, error) {
	var parsed []crdgen.Package
	for _, p := range pkgs {
		if slices.Contains(dirs, p.dir) {
			one := crdgen.Package{Dir: p.dir}
			for _, f := range p.files {
				one.Files = append(one.Files, f.syntax)
			}
			parsed = append(parsed, one)
		}
	}
	names, err := crdgen.Resources(parsed)
	if err != nil {
		return nil, err
	}
	var all []served
	for _, p := range pkgs {
		for _, f := range p.files {
			for i := range f.kinds {
				if r, ok := names[f.kinds[i].spec]; ok {
					all = append(all, served{p, f, &f.kinds[i], r})
				}
			}
		}
	}
	return all, nil
}

// given are versions of the kind that give the CRD its plural, the first of each plural.
func (k served) given(kinds []served) (versions []served) {
	for _, v := range kinds {
		if v.crd.Group == k.crd.Group && v.crd.Kind == k.crd.Kind && v.crd.Path != "" &&
			!slices.ContainsFunc(versions, func(w served) bool { return w.crd.Path == v.crd.Path }) {
			versions = append(versions, v)
		}
	}
	return versions
}

// compare holds the name in the CRD against the one in a tree of clients, and says how they differ.
func (k served) compare(tree ClientTree, given bool) string {
	if !slices.Contains(tree.APIs, k.pkg.dir) || !k.file.tagged(k.kind, "genclient") || k.file.tagged(k.kind, "genclient:noVerbs") {
		return ""
	}
	tagged := k.file.resourceName(k.kind)
	asked := cmp.Or(tagged, naming.ResourceName(k.crd.Kind, tree.PluralExceptions))
	if asked == k.crd.Plural {
		return ""
	}
	return fmt.Sprintf("the CRD of %s has the plural %s, and the client in %s would ask for %s and find nothing; %s",
		k.crd.Kind, k.crd.Plural, tree.Dir, asked, k.mend(tagged, asked, given))
}

// mend is the tag that makes the two agree. What somebody wrote down counts more than what a rule made of the kind, and
// of two rules that of the client: Go code goes by its names.
func (k served) mend(tagged, asked string, given bool) string {
	switch {
	case given && tagged != "":
		return fmt.Sprintf("write // +resourceName=%s in the place of // +resourceName=%s", k.crd.Plural, tagged)
	case given:
		return fmt.Sprintf("write // +resourceName=%s above the type", k.crd.Plural)
	case k.crd.Marked:
		return fmt.Sprintf("add path=%s to its // +kubebuilder:resource", asked)
	}
	return fmt.Sprintf("write // +kubebuilder:resource:path=%s above the type", asked)
}

func (k served) find(format string, args ...any) Finding {
	at := k.file.fset.Position(k.kind.spec.Name.Pos())
	return Finding{File: k.file.path, Line: at.Line, Col: at.Column, Severity: Error, Message: fmt.Sprintf(format, args...)}
}
