package fields

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// Sample is the spec of an object that the rules allow, in YAML, each line after so many spaces. It is empty where there are
// no fields.
func (s *Set) Sample(indent int) string {
	if s.Empty() {
		return ""
	}
	spec := entries{}
	for _, f := range s.spec.fields {
		v, err := f.sample()
		if err != nil {
			continue // Parse has found a value for each
		}
		spec = append(spec, entry{f.name, v})
	}
	var b strings.Builder
	writeEntries(&b, spec, strings.Repeat(" ", indent), strings.Repeat(" ", indent))
	return b.String()
}

// writeEntries writes lines. The first comes after another indent, since it may follow the dash of a list.
func writeEntries(b *strings.Builder, all entries, first, indent string) {
	for i, e := range all {
		if i > 0 {
			first = indent
		}
		b.WriteString(first + scalarYAML(e.key) + ":")
		writeValue(b, e.value, indent)
	}
}

// writeValue writes what comes after a colon. What is in a line is short; what has objects in it has lines of its own, and
// lists are not indented, as kubectl writes them.
func writeValue(b *strings.Builder, v any, indent string) {
	switch v := v.(type) {
	case entries:
		if flat(v) && (len(v) == 0 || v[0].key == "example") {
			b.WriteString(" " + flow(v) + "\n")
			return
		}
		b.WriteString("\n")
		writeEntries(b, v, indent+"  ", indent+"  ")
	case []any:
		if flat(v) {
			b.WriteString(" " + flow(v) + "\n")
			return
		}
		b.WriteString("\n")
		for _, item := range v {
			object, ok := item.(entries)
			if !ok || len(object) == 0 {
				b.WriteString(indent + "- " + flow(item) + "\n")
				continue
			}
			writeEntries(b, object, indent+"- ", indent+"  ")
		}
	default:
		b.WriteString(" " + flow(v) + "\n")
	}
}

// flat tells whether there is nothing in a value that has something in it.
func flat(v any) bool {
	inner := func(v any) bool {
		switch v.(type) {
		case entries, []any:
			return false
		}
		return true
	}
	switch v := v.(type) {
	case entries:
		for _, e := range v {
			if !inner(e.value) {
				return false
			}
		}
	case []any:
		for _, e := range v {
			if !inner(e) {
				return false
			}
		}
	}
	return true
}

// flow writes a value on one line.
func flow(v any) string {
	var parts []string
	switch v := v.(type) {
	case entries:
		for _, e := range v {
			parts = append(parts, scalarYAML(e.key)+": "+flow(e.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, e := range v {
			parts = append(parts, flow(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return scalarYAML(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return asJSON(v)
}

var plainYAML = regexp.MustCompile(`^[A-Za-z0-9_./-][A-Za-z0-9_./:@%+-]*$`)

// scalarYAML writes a string without quotes where it is read as the same string then.
func scalarYAML(s string) string {
	var back any
	if plainYAML.MatchString(s) && !strings.HasSuffix(s, ":") && yaml.Unmarshal([]byte(s), &back) == nil && back == s {
		return s
	}
	// JSON lets more characters stand for themselves than YAML does.
	var b strings.Builder
	for _, r := range asJSON(s) {
		switch {
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
