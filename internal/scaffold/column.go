package scaffold

// Column is a column that kubectl prints for an object.
type Column struct {
	Name, Type, JSONPath string
}

// maxFieldColumns keeps a line of kubectl's table on one line of a terminal.
const maxFieldColumns = 4

// Columns are the first fields of the spec that fit into a cell, whether the object is ready, and its age.
func (a *API) Columns() []Column {
	var columns []Column
	for _, f := range a.Fields {
		if t := f.columnType(); t != "" && len(columns) < maxFieldColumns {
			columns = append(columns, Column{Name: f.GoName(), Type: t, JSONPath: ".spec." + f.Name})
		}
	}
	if a.Status {
		columns = append(columns, Column{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`})
	}
	return append(columns, Column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"})
}
