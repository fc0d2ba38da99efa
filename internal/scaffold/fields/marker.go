package fields

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// kubebuilder are the markers of bounds, in the order in which they are written.
var kubebuilder = [][2]string{
	{"min", "Minimum"}, {"max", "Maximum"}, {"multipleOf", "MultipleOf"}, {"minLength", "MinLength"}, {"maxLength", "MaxLength"},
	{"minItems", "MinItems"}, {"maxItems", "MaxItems"}, {"minProperties", "MinProperties"}, {"maxProperties", "MaxProperties"},
}

// markers are the lines between a field's comment and the field.
func (f *Field) markers() []string {
	r := &f.rules
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, b := range kubebuilder {
		if n, ok := r.bounds[b[0]]; ok {
			add("+kubebuilder:validation:%s=%d", b[1], n)
		}
	}
	if r.pattern != "" {
		add("+kubebuilder:validation:Pattern=%s", rawQuote(r.pattern))
	}
	if r.format != "" {
		add("+kubebuilder:validation:Format=%s", r.format)
	}
	if len(r.enum) > 0 {
		add("+kubebuilder:validation:Enum=%s", enumMarker(r.enum))
	}
	for _, c := range r.cel {
		all = append(all, validation(c.rule, c.message))
	}
	if r.immutable {
		message := f.name + " is immutable"
		if !r.required && r.defaults == nil {
			message += " once it is set"
		}
		all = append(all, validation("self == oldSelf", message))
	}
	if f.typ.list() {
		add("+listType=%s", r.listType)
		for _, k := range r.listMapKeys {
			add("+listMapKey=%s", k)
		}
	}
	// +default, not +kubebuilder:default: the OpenAPI schema of the apply configurations and defaulter-gen read it as well.
	if r.defaults != nil {
		add("+default=%s", asJSON(r.defaults))
	}
	if r.nullable {
		add("+nullable")
	}
	if r.required {
		add("+required")
	} else {
		add("+optional")
	}
	return all
}

// validation is the marker of a CEL rule.
func validation(rule, message string) string {
	return fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%s,message=%s", strconv.Quote(rule), strconv.Quote(message))
}

// rawQuote quotes a pattern so that it can be read, where that is possible.
func rawQuote(s string) string {
	if strings.Contains(s, "`") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

// bare is a value of an enum that controller-tools takes for a string without quotes.
var bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

func enumMarker(values []any) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = asJSON(v)
		if s, ok := v.(string); ok {
			all[i] = strconv.Quote(s)
			if bare.MatchString(s) && s != "true" && s != "false" {
				all[i] = s
			}
		}
	}
	return strings.Join(all, ";")
}
