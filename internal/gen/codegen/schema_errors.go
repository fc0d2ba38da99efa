// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"errors"
	"fmt"
	gotypes "go/types"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/crdctl/crdctl/internal/gen/openapischema"
)

// SchemaError is why no schema could be made of the types. It begins with a place in a file where there is one.
type SchemaError struct{ err error }

func (e *SchemaError) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e *SchemaError) Unwrap() error { return e.err }

// unreadable is the error of a type of which something is not a literal.
func (m *models) unreadable(t *types.Type, err error) error {
	if at, ok := errors.AsType[*openapischema.Error](err); ok && at.Position.IsValid() {
		return fmt.Errorf("%w; the schema of %s needs it", err, t.Name.Name)
	}
	return fmt.Errorf("%s%s: %w", m.place(t.Name, ""), t.Name.Name, err)
}

// refused is what openapi-gen said. It names a type and a field, but no place.
func (m *models) refused(err error) error {
	text := strings.TrimPrefix(err.Error(), "some targets had errors: ")
	for _, t := range m.all {
		_, after, ok := strings.Cut(text, t.Name.String()+": ")
		if !ok {
			continue
		}
		field, _, _ := strings.Cut(after, ":")
		return errors.New(m.place(t.Name, field) + text)
	}
	return errors.New(text)
}

// place is where a type or a field of it stands, with a colon after it; "" if that is not known.
func (m *models) place(name types.Name, field string) string {
	obj := m.object(name.Package, name.Name)
	if obj == nil {
		return ""
	}
	if found, _, _ := gotypes.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), field); field != "" && found != nil {
		obj = found
	}
	return m.graph.Fset.Position(obj.Pos()).String() + ": "
}

// object is what a name means in a loaded package.
func (m *models) object(pkg, name string) gotypes.Object {
	if p := m.graph.Packages[pkg]; p != nil && p.Types != nil {
		return p.Types.Scope().Lookup(name)
	}
	return nil
}

func (m *models) packageName(path string) string {
	if p := m.graph.Packages[path]; p != nil {
		return p.Name
	}
	return ""
}
