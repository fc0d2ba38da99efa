// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Column is a column that kubectl prints for an object.
type Column struct {
	Name, Type, Format, JSONPath string
	// Priority is more than 0 for a column of kubectl get -o wide.
	Priority    int
	Description string
}

// maxColumns keeps a line of kubectl's table on one line of a terminal.
const maxColumns = 4

// columnTypes are the types of columns by those of fields.
var columnTypes = map[family]string{
	word: "string", boolean: "boolean", number: "integer", duration: "string", instant: "date", quantity: "string", intOrString: "string",
}

const columnPrefix = "+kubebuilder:printcolumn:"

// Columns are those of the markers for columns, which stand at the kind and not at the field; where there is none, the first fields
// of the spec that fit into a cell. Whether the object is ready and its age come last.
func (s *Set) Columns() []Column {
	var columns []Column
	s.all(func(f *Field) { columns = append(columns, f.columns...) })
	if len(columns) == 0 {
		for _, f := range s.spec.fields {
			taken := slices.ContainsFunc(standard, func(n string) bool { return strings.EqualFold(n, goname.Camel(f.name)) })
			if f.typ.single() && columnTypes[f.typ.family] != "" && !taken && len(columns) < maxColumns {
				columns = append(columns, f.column(goname.Camel(f.name)))
			}
		}
	}
	if s.Status {
		columns = append(columns, Column{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`})
	}
	return append(columns, Column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"})
}

// standard are the columns that are there already.
var standard = []string{"Name", "Namespace", "Ready", "Age"}

func (f *Field) column(name string) Column {
	return Column{Name: name, Type: columnTypes[f.typ.family], JSONPath: "." + f.fullPath()}
}

var columnArgument = lazyregexp.New("(\\w+)=(\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[^,\"`]*)(?:,|$)")

// parseColumn reads the marker of a column.
func parseColumn(marker string) (c Column, err error) {
	priority := "0"
	arguments := map[string]*string{
		"name": &c.Name, "type": &c.Type, "format": &c.Format, "description": &c.Description, "JSONPath": &c.JSONPath, "priority": &priority,
	}
	text := strings.TrimPrefix(marker, columnPrefix)
	valid := columnArgument.ReplaceAllString(text, "") == ""
	for _, m := range columnArgument.FindAllStringSubmatch(text, -1) {
		argument, ok := arguments[m[1]]
		if !ok {
			valid = false
			continue
		}
		*argument = m[2]
		if unquoted, err := strconv.Unquote(m[2]); err == nil {
			*argument = unquoted
		}
	}
	if c.Priority, err = strconv.Atoi(priority); err != nil || !valid || c.Name == "" || c.Type == "" || c.JSONPath == "" {
		return c, fmt.Errorf(`the marker %q is not a column; write it as in %sname="Port",type=integer,JSONPath=".spec.port",priority=1`, marker, columnPrefix)
	}
	return c, nil
}
