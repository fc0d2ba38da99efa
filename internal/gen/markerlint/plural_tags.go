package markerlint

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/naming"
)

// client is a kind that client-gen makes a client for.
type client struct {
	file             *file
	kind             *kind
	plural, resource string // in Go names, and in the paths of the API
}

// sameFile reports whether the generated files of two kinds have the same names.
func (c client) sameFile(other client) bool {
	return strings.EqualFold(c.kind.spec.Name.Name, other.kind.spec.Name.Name)
}

// plurals finds two kinds of one group version that would have one name: the client does not compile, or both kinds are
// the same resource to the API server. Kinds that differ in case alone have the same files, in which the order of the two is
// not determined.
func (p *pkg) plurals(exceptions map[string]string) []Finding {
	var clients []client
	for _, f := range p.files {
		for i := range f.kinds {
			if k := &f.kinds[i]; f.tagged(k, "genclient") {
				name := k.spec.Name.Name
				plural := cmp.Or(exceptions[name], naming.GoPlural(name))
				clients = append(clients, client{f, k, plural, cmp.Or(f.resourceName(k), naming.ResourceName(name, exceptions))})
			}
		}
	}
	var found []Finding
	for i, c := range clients {
		j := slices.IndexFunc(clients[:i], func(other client) bool {
			return other.plural == c.plural || other.resource == c.resource || c.sameFile(other)
		})
		if j < 0 {
			continue
		}
		other := clients[j]
		name, mend := c.resource, "rename one of the kinds, or give one another plural with // +resourceName=PLURAL"
		if other.plural == c.plural {
			name, mend = c.plural, "rename one of the kinds, or give one another plural with --plural-exceptions"
		}
		at := c.file.fset.Position(c.kind.spec.Name.Pos())
		first := other.file.fset.Position(other.kind.spec.Name.Pos())
		if c.sameFile(other) {
			found = append(found, Finding{
				File: c.file.path, Line: at.Line, Col: at.Column, Severity: Error,
				Message: fmt.Sprintf("the kinds %s and %s (%s:%d:%d) differ in case only, and their clients would be in the same files, %s.go; rename one of the kinds",
					c.kind.spec.Name.Name, other.kind.spec.Name.Name, other.file.path, first.Line, first.Column, strings.ToLower(c.kind.spec.Name.Name)),
			})
			continue
		}
		found = append(found, Finding{
			File: c.file.path, Line: at.Line, Col: at.Column, Severity: Error,
			Message: fmt.Sprintf("the kinds %s and %s (%s:%d:%d) have one plural, %s; %s",
				c.kind.spec.Name.Name, other.kind.spec.Name.Name, other.file.path, first.Line, first.Column, name, mend),
		})
	}
	return found
}

// keywords finds the kinds with a client whose names are keywords of Go in lower case: client-gen names parameters so.
func (p *pkg) keywords(trees []ClientTree) (found []Finding) {
	if !slices.ContainsFunc(trees, func(t ClientTree) bool { return slices.Contains(t.APIs, p.dir) }) {
		return nil
	}
	for _, f := range p.files {
		for i := range f.kinds {
			k := &f.kinds[i]
			name := k.spec.Name
			if !token.IsKeyword(strings.ToLower(name.Name)) || !f.tagged(k, "genclient") || f.narrowed(k) {
				continue
			}
			at := f.fset.Position(name.Pos())
			found = append(found, Finding{
				File: f.path, Line: at.Line, Col: at.Column, Severity: Error,
				Message: fmt.Sprintf("the kind %s is a keyword of Go in lower case, which client-gen uses as the name of a parameter; rename the kind, or take out +genclient", name.Name),
			})
		}
	}
	return found
}

// narrowed reports whether a kind's client may lack the methods that have an object for a parameter.
func (f *file) narrowed(k *kind) bool {
	return slices.ContainsFunc([]string{"genclient:noVerbs", "genclient:readonly", "genclient:onlyVerbs", "genclient:skipVerbs"}, func(name string) bool { return f.tagged(k, name) })
}

// resourceName is the plural that +resourceName gives a kind, or "".
func (f *file) resourceName(k *kind) string {
	// gengo takes the first, and of the comments the one that is farther from the type.
	for _, g := range slices.Backward(k.docs) {
		for _, t := range f.tags {
			if v, ok := t.value(); ok && t.group == g && t.name() == "resourceName" {
				return v
			}
		}
	}
	return ""
}
