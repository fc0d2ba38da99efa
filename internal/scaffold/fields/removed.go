package fields

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// removal is a rule that the language had, with the start of the marker that is written instead, or where it has none, what to do.
type removal struct{ rule, marker, hint string }

// removals is the table from which [Translate], and errors with it, take the markers, in the order in which they are written.
var removals = []removal{
	{"multipleOf", "+kubebuilder:validation:MultipleOf=", ""},
	{"minItems", "+kubebuilder:validation:MinItems=", ""},
	{"maxItems", "+kubebuilder:validation:MaxItems=", ""},
	{"minProperties", "+kubebuilder:validation:MinProperties=", ""},
	{"maxProperties", "+kubebuilder:validation:MaxProperties=", ""},
	{"format", "+kubebuilder:validation:Format=", ""},
	{"cel", "+kubebuilder:validation:XValidation:", ""},
	{"listType", "+listType=", ""},
	{"listMapKey", "+listMapKey=", ""},
	{"nullable", "+nullable", ""},
	{"column", columnPrefix, ""},
	{"optional", "", "leave it out, because fields are optional unless they are required"},
	{"desc", "", "leave it out, and change the field's comment in the Go types"},
	{"example", "", "leave it out, and change the value in the sample"},
}

// markers are those that say what the rule said of the field with the value.
func (r removal) markers(f *Field, value string) []string {
	switch {
	case r.marker == "":
		return nil
	case r.rule == "cel":
		return []string{validation(cutCEL(value))}
	case r.rule == "listMapKey":
		return append([]string{"+listType=map"}, strings.Split(r.marker+strings.ReplaceAll(value, ",", ","+r.marker), ",")...)
	case r.rule == "nullable":
		return []string{r.marker}
	case r.rule == "column":
		return []string{columnMarker(f, value)}
	}
	return []string{r.marker + value}
}

func removed(name string) *removal {
	i := slices.IndexFunc(removals, func(r removal) bool { return r.rule == name })
	if i < 0 {
		return nil
	}
	return &removals[i]
}

// ruleAndMessage is RULE;MESSAGE, apart at the first semicolon that is not in a text of the rule.
var ruleAndMessage = regexp.MustCompile(`(?s)^((?:[^;'"]|'[^']*'|"[^"]*")*);(.*)$`)

func cutCEL(value string) (rule, message string) {
	if m := ruleAndMessage.FindStringSubmatch(value); m != nil {
		return strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
	}
	return value, "is not valid"
}

// columnMarker is the column of a field, whose value may be NAME:PRIORITY.
func columnMarker(f *Field, value string) string {
	name, priority, _ := strings.Cut(value, ":")
	if name == "" {
		name = goname.Camel(f.name)
	}
	c := f.column(name)
	marker := fmt.Sprintf("%sname=%s,type=%s,JSONPath=%s", columnPrefix, strconv.Quote(c.Name), c.Type, strconv.Quote(c.JSONPath))
	if priority != "" {
		marker += ",priority=" + priority
	}
	return marker
}

// refuseRemoved is the error for rules that the language had.
func (w written) refuseRemoved(arg string) error {
	for _, r := range w.rules {
		if old := removed(r.name); old != nil {
			inShell := strings.ReplaceAll(Translate(arg), "'", `'\''`)
			return fmt.Errorf("%s is not a rule; %s: --field '%s'", r.name, cmp.Or(old.hint, "write its marker"), inShell)
		}
	}
	return nil
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
	f := newField(arg, w.path, t)
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
			for _, m := range r.markers(f, value) {
				if !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
		}
	}
	return strings.Join(append(out, w.markers...), ":")
}
