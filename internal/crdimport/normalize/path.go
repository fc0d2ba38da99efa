// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type schema = apiextensionsv1.JSONSchemaProps

// Path is where a schema stands in the one of its version, such as spec.template.foo[*]; a value of a map is foo.*. The root is
// empty.
type Path string

// Field is the path of a property.
func (p Path) Field(property string) Path {
	if strings.ContainsAny(property, ".[]* ") || property == "" {
		return p + Path("["+strconv.Quote(property)+"]")
	}
	return Path(strings.TrimPrefix(string(p)+"."+property, "."))
}

// Items is the path of the items of a list.
func (p Path) Items() Path { return p + "[*]" }

// Values is the path of the values of a map.
func (p Path) Values() Path { return p + ".*" }

// Where is the path for people.
func (p Path) Where() string {
	if p == "" {
		return "the root of the schema"
	}
	return string(p)
}
