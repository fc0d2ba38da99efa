package fields

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// allMarkers are the lines between a field's comment and the field.
func (f *Field) allMarkers() []string {
	all := slices.Clone(f.markers)
	if f.immutable {
		message := f.name + " is immutable"
		if !f.required && f.defaults == nil {
			message += " once it is set"
		}
		all = slices.Insert(all, f.rules, validation("self == oldSelf", message))
	}
	// +default, not +kubebuilder:default: the OpenAPI schema of the apply configurations and defaulter-gen read it as well.
	if f.defaults != nil {
		all = append(all, "+default="+asJSON(f.defaults))
	}
	if f.required {
		return append(all, "+required")
	}
	return append(all, "+optional")
}

// listMarkers are those that every list gets, where no marker tells its type.
func listMarkers(t fieldType, markers []string) []string {
	if !t.list() || slices.ContainsFunc(markers, func(m string) bool { return strings.HasPrefix(m, "+listType=") }) {
		return nil
	}
	if t.base == "metav1.Condition" { // as every list of conditions in Kubernetes
		return []string{"+listType=map", "+listMapKey=type"}
	}
	return []string{"+listType=atomic"}
}

// validation is the marker of a CEL rule.
func validation(rule, message string) string {
	return fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%s,message=%s", strconv.Quote(rule), strconv.Quote(message))
}

// bare is a value of an enum that controller-tools takes for a string without quotes.
var bare = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)

func enumMarker[T any](values []T) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = asJSON(v)
		if s, ok := any(v).(string); ok {
			all[i] = strconv.Quote(s)
			if bare.MatchString(s) && s != "true" && s != "false" {
				all[i] = s
			}
		}
	}
	return strings.Join(all, ";")
}
