// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// removal is a rule that the language had, with the marker that is written instead, or where it has none, what to do.
type removal struct{ rule, marker, hint string }

// removals is the table from which [Translate], and errors with it, take the markers, in the order in which they are written.
var removals = []removal{
	{"multipleOf", "+kubebuilder:validation:MultipleOf=VALUE", ""},
	{"minItems", "+kubebuilder:validation:MinItems=VALUE", ""},
	{"maxItems", "+kubebuilder:validation:MaxItems=VALUE", ""},
	{"minProperties", "+kubebuilder:validation:MinProperties=VALUE", ""},
	{"maxProperties", "+kubebuilder:validation:MaxProperties=VALUE", ""},
	{"format", "+kubebuilder:validation:Format=VALUE", ""},
	{"cel", "VALUE", ""},
	{"listType", "+listType=VALUE", ""},
	{"listMapKey", "+listType=map\n+listMapKey=VALUE", ""},
	{"nullable", "+nullable", ""},
	{"column", "VALUE", ""},
	{"optional", "", "omit it, because fields are optional unless they are required"},
	{"desc", "", "omit it, and change the field's comment in the Go types"},
	{"example", "", "omit it, and change the value in the sample"},
}

func removed(name string) *removal {
	i := slices.IndexFunc(removals, func(r removal) bool { return r.rule == name })
	if i < 0 {
		return nil
	}
	return &removals[i]
}

// markers are those that say what the rule specified for the field with the value.
func (r removal) markers(f *Field, value string) []string {
	switch r.rule {
	case "cel":
		value = celMarker(cutCEL(value))
	case "listMapKey":
		value = strings.ReplaceAll(value, ",", "\n+listMapKey=")
	case "column":
		value = columnMarker(f, value)
	}
	return strings.Split(strings.ReplaceAll(r.marker, "VALUE", value), "\n")
}

// ruleAndMessage is RULE;MESSAGE, apart at the first semicolon that is not in a text of the rule.
var ruleAndMessage = lazyregexp.New(`(?s)^((?:[^;'"]|'[^']*'|"[^"]*")*);(.*)$`)

func cutCEL(value string) (rule, message string) {
	if m := ruleAndMessage.FindStringSubmatch(value); m != nil {
		return strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
	}
	return value, "is not valid"
}

// columnMarker is the column of a field, whose value may be NAME:PRIORITY.
func columnMarker(f *Field, value string) string {
	name, priority, _ := strings.Cut(value, ":")
	c := f.column(cmp.Or(name, goname.Camel(f.name)))
	marker := fmt.Sprintf("%sname=%q,type=%s,JSONPath=%q", columnPrefix, c.Name, c.Type, c.JSONPath)
	if priority != "" {
		marker += ",priority=" + priority
	}
	return marker
}

// removedRule is the error for a rule that the language had.
func (f *Field) removedRule(name string) error {
	inShell := strings.ReplaceAll(Translate(f.arg), "'", `'\''`)
	return fmt.Errorf("%s is not a rule; %s: --field '%s'", name, cmp.Or(removed(name).hint, "write its marker"), inShell)
}

// Translate returns a --field that an older crdctl recorded as one of today that makes the same Go types: rules that the language had
// become markers. Comments and values of the sample are not kept; the files have them. What it cannot read it returns as it is, for
// [Parse] to refuse.
func Translate(arg string) string {
	w, err := split(arg)
	if err != nil {
		return arg
	}
	t, err := parseType(w.typ)
	if err != nil {
		return arg
	}
	old := map[string][]string{}
	out := []string{w.path, w.typ}
	for i, r := range w.rules {
		switch {
		case removed(r.name) != nil:
			old[r.name] = append(old[r.name], r.value)
		case i > 0 && w.rules[i-1].name == "column" && r.name != "" && strings.Trim(r.name, "0123456789") == "":
			old["column"] = []string{w.rules[i-1].value + ":" + r.name}
		default:
			out = append(out, r.text)
		}
	}
	if len(old) == 0 {
		return arg
	}
	for _, r := range removals {
		for _, value := range old[r.rule] {
			for _, m := range r.markers(newField(arg, w.path, t), value) {
				if m != "" && !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
		}
	}
	return strings.Join(append(out, w.markers...), ":")
}
