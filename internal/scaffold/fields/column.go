package fields

import (
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// Column is a column that kubectl prints for an object.
type Column struct {
	Name, Type, JSONPath string
	// Priority is more than 0 for a column of kubectl get -o wide.
	Priority    int
	Description string
}

// maxColumns keeps a line of kubectl's table on one line of a terminal.
const maxColumns = 4

// columnTypes are the types of columns by those of fields.
var columnTypes = map[family]string{
	text: "string", boolean: "boolean", number: "integer", duration: "string", instant: "date", quantity: "string", intOrString: "string",
}

// Columns are those of the fields that say column; where none does, the first fields of the spec that fit into a cell.
// Whether the object is ready and its age come last.
func (s *Set) Columns() []Column {
	var columns []Column
	s.all(func(f *Field) {
		if c := f.rules.column; c != nil {
			columns = append(columns, f.column(c.name, c.priority))
		}
	})
	if s != nil && len(columns) == 0 {
		for _, f := range s.spec.fields {
			taken := slices.ContainsFunc(standard, func(n string) bool { return strings.EqualFold(n, goname.Camel(f.name)) })
			if f.typ.single() && columnTypes[f.typ.family] != "" && !taken && len(columns) < maxColumns {
				columns = append(columns, f.column(goname.Camel(f.name), 0))
			}
		}
	}
	if s != nil && s.hasStatus {
		columns = append(columns, Column{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`})
	}
	return append(columns, Column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"})
}

func (f *Field) column(name string, priority int) Column {
	path := ".spec." + f.path
	if f.status {
		path = "." + statusPrefix + f.path
	}
	return Column{Name: name, Type: columnTypes[f.typ.family], JSONPath: path, Priority: priority, Description: f.rules.desc}
}
