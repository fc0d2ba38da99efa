// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fieldError is one field of the settings with an invalid value. line is 0 where the field is in no file.
type fieldError struct {
	name, field, text string
	line, column      int
}

func (e *fieldError) Error() string {
	if e.line == 0 {
		return fmt.Sprintf("%s: %s: %s", e.name, e.field, e.text)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.name, e.line, e.column, e.field, e.text)
}

// locate gives the fields that an error of validate is about their places in the file. Edits may have changed what the file
// says: a field of which the file alone says nothing wrong keeps no place.
func locate(err error, name string, data []byte, edited bool) error {
	joined, ok := err.(interface{ Unwrap() []error })
	var doc yaml.Node
	if !ok || name != FileName || yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return err
	}
	var own []string
	if edited {
		if _, err := Parse(name, data); err != nil {
			own = strings.Split(err.Error(), "\n")
		}
	}
	var all []*fieldError
	for _, one := range joined.Unwrap() {
		e, ok := errors.AsType[*fieldError](one)
		if !ok {
			return err
		}
		if n := nodeOf(doc.Content[0], e.field); n != nil {
			e.line, e.column = n.Line, n.Column
		}
		if edited && !slices.Contains(own, e.Error()) {
			e.line = 0
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b *fieldError) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	sorted := make([]error, len(all))
	for i, e := range all {
		sorted[i] = e
	}
	return errors.Join(sorted...)
}

// placeCalls gives calls of controller-gen their places in the file.
func placeCalls(p *Project, name string, data []byte) {
	var doc yaml.Node
	if name != FileName || len(p.ControllerGen.Calls) == 0 || yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return
	}
	for i := range p.ControllerGen.Calls {
		if n := nodeOf(doc.Content[0], fmt.Sprintf("controllerGen.calls[%d]", i)); n != nil {
			p.ControllerGen.Calls[i].Place = fmt.Sprintf("%s:%d", name, n.Line)
		}
	}
}

var step = regexp.MustCompile(`[^.\[\]]+`)

// nodeOf is the node of a field such as clients[0].dir, or of the nearest one that the file has above it; nil for none.
func nodeOf(at *yaml.Node, field string) (found *yaml.Node) {
	for _, name := range step.FindAllString(field, -1) {
		if at.Kind == yaml.AliasNode {
			at = at.Alias
		}
		var next *yaml.Node
		switch at.Kind {
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(name); err == nil && i < len(at.Content) {
				next = at.Content[i]
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(at.Content); i += 2 {
				if at.Content[i].Value == name {
					next = at.Content[i+1]
				}
			}
		}
		if next == nil {
			return found
		}
		at, found = next, next
	}
	return found
}

// onlyField is a line with one field, and none in braces.
var onlyField = regexp.MustCompile(`^\s*(?:- )?(\w+):[^{]*$`)

// fieldOn is the name of the field on a line, "" if there may be several.
func fieldOn(data []byte, line int) string {
	lines := bytes.Split(data, []byte("\n"))
	if m := onlyField.FindSubmatch(lines[min(line, len(lines))-1]); m != nil {
		return string(m[1])
	}
	return ""
}

var wrongType = regexp.MustCompile("^cannot unmarshal !!(\\w+)(?: (`.*`))? into (\\S+)$")

// withoutGoTypes is the decoder's error about a value of the wrong type, without the names of Go types.
func withoutGoTypes(text string) string {
	m := wrongType.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	got := map[string]string{"seq": "a list", "map": "a map", "str": "a string", "int": "a number", "float": "a number", "bool": "a boolean", "null": "nothing"}[m[1]]
	if got == "" {
		got = m[1]
	}
	if m[2] != "" {
		got = strings.Trim(m[2], "`")
	}
	var want string
	switch typ := m[3]; {
	case typ == "time.Duration":
		want = "a duration such as 10s"
	case typ == "string":
		want = "a string"
	case typ == "bool":
		want = "true or false"
	case strings.HasPrefix(typ, "[]"):
		want = "a list"
	case strings.HasPrefix(typ, "int"), strings.HasPrefix(typ, "float"):
		want = "a number"
	default: // structs and maps
		want = "a map"
	}
	return fmt.Sprintf("must be %s, got %s; see %s", want, got, SettingsPage)
}
