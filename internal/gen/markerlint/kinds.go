// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/crdgen"
	"github.com/crdctl/crdctl/internal/gen/naming"
)

// ClientTree is a tree of clients, and the directories of the packages that it has clients for.
type ClientTree struct {
	Dir              string
	APIs             []string
	PluralExceptions map[string]string
}

// client is a kind that client-gen makes a client for.
type client struct {
	*kind
	plural, resource string // in Go names, and in the paths of the API
}

// plurals finds two kinds of one group version that would have one name: the client does not compile, or both kinds are
// the same resource to the API server. Kinds that differ in case alone have the same files, in which the order of the two is
// not determined.
func (p *pkg) plurals(exceptions map[string]string) (found []Finding) {
	var clients []client
	for _, f := range p.files {
		for _, k := range f.kinds {
			if !k.tagged("genclient") {
				continue
			}
			c := client{k, cmp.Or(exceptions[k.name()], naming.GoPlural(k.name())), cmp.Or(k.resourceName(), naming.ResourceName(k.name(), exceptions))}
			sameFile := func(other client) bool { return strings.EqualFold(k.name(), other.name()) }
			i := slices.IndexFunc(clients, func(other client) bool {
				return other.plural == c.plural || other.resource == c.resource || sameFile(other)
			})
			clients = append(clients, c)
			if i < 0 {
				continue
			}
			other := clients[i]
			const both = "the kinds %s and %s (%s) have the same plural, %s; rename one of the kinds, or set another plural with "
			switch {
			case sameFile(other):
				found = append(found, k.find("the kinds %s and %s (%s) differ only in case, and their clients would have the same file, %s.go; rename one of the kinds",
					k.name(), other.name(), other.at(), strings.ToLower(k.name())))
			case other.plural == c.plural:
				found = append(found, k.find(both+"--plural-exceptions", k.name(), other.name(), other.at(), c.plural))
			default:
				found = append(found, k.find(both+"// +resourceName=PLURAL", k.name(), other.name(), other.at(), c.resource))
			}
		}
	}
	return found
}

// keywords finds the kinds with a client whose names are keywords of Go in lower case: client-gen names parameters so. Clients without
// the methods that have an object for a parameter may be narrower.
func (p *pkg) keywords(trees []ClientTree) (found []Finding) {
	if !slices.ContainsFunc(trees, func(t ClientTree) bool { return slices.Contains(t.APIs, p.dir) }) {
		return nil
	}
	for _, f := range p.files {
		for _, k := range f.kinds {
			if token.IsKeyword(strings.ToLower(k.name())) && k.tagged("genclient") &&
				!k.tagged("genclient:noVerbs", "genclient:readonly", "genclient:onlyVerbs", "genclient:skipVerbs") {
				found = append(found, k.find("the kind %s is a Go keyword in lower case, which client-gen uses as a parameter name; rename the kind, or remove +genclient", k.name()))
			}
		}
	}
	return found
}

// served is a kind that gets a CRD.
type served struct {
	*kind
	pkg *pkg
	crd crdgen.Resource
}

// resources finds the kinds whose CRD has another name than the one that their clients ask the API server for. Each side
// has rules of its own for plurals, both generate well, and the controller never sees an object.
func resources(pkgs []*pkg, families Families) (found []Finding, err error) {
	kinds, err := servedKinds(pkgs, families.CRDs)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		given := k.given(kinds)
		if len(given) > 0 && k.crd.Path != "" && k.crd.Path != given[0].crd.Path {
			found = append(found, k.find("the CRD of %s cannot have two plurals, %s and that of another version (%s), %s; set the same path in both // +kubebuilder:resource",
				k.crd.Kind, k.crd.Path, given[0].at(), given[0].crd.Path))
		}
		if len(given) > 1 || k.pkg.clashes {
			continue // one of the plurals is taken by chance, or which of them is wrong is reported already
		}
		for _, tree := range families.Clients {
			if message := k.compare(tree, len(given) > 0); message != "" {
				found = append(found, k.find("%s", message))
				break // one at a time: the fix changes what the other trees ask for
			}
		}
	}
	return found, nil
}

// servedKinds are the kinds of the packages in dirs, in the order of their places.
func servedKinds(pkgs []*pkg, dirs []string) (all []served, err error) {
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
	for _, p := range pkgs {
		for _, f := range p.files {
			for _, k := range f.kinds {
				if r, ok := names[k.spec]; ok {
					all = append(all, served{k, p, r})
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

// compare says how the name in the CRD differs from the one in a tree of clients, and which tag makes the two agree. What a user wrote
// down counts more than what a rule made of the kind, and of two rules that of the client: Go code goes by its names.
func (k served) compare(tree ClientTree, given bool) string {
	if !slices.Contains(tree.APIs, k.pkg.dir) || !k.tagged("genclient") || k.tagged("genclient:noVerbs") {
		return ""
	}
	tagged := k.resourceName()
	asked := cmp.Or(tagged, naming.ResourceName(k.crd.Kind, tree.PluralExceptions))
	if asked == k.crd.Plural {
		return ""
	}
	fix := fmt.Sprintf("write // +kubebuilder:resource:path=%s above the type", asked)
	switch {
	case given && tagged != "":
		fix = fmt.Sprintf("write // +resourceName=%s instead of // +resourceName=%s", k.crd.Plural, tagged)
	case given:
		fix = fmt.Sprintf("write // +resourceName=%s above the type", k.crd.Plural)
	case k.crd.Marked:
		fix = fmt.Sprintf("add path=%s to its // +kubebuilder:resource", asked)
	}
	return fmt.Sprintf("the CRD of %s has the plural %s, and the client in %s would ask for %s and find nothing; %s",
		k.crd.Kind, k.crd.Plural, tree.Dir, asked, fix)
}
