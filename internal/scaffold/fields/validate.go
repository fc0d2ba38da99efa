package fields

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// checkRules holds a single value against the rules of its field, CEL aside.
func (f *Field) checkRules(v any) error {
	r := &f.rules
	if len(r.enum) > 0 && !slices.Contains(r.enum, v) {
		return fmt.Errorf("%s is not one of enum=%s; use one of them", asJSON(v), asJSON(r.enum))
	}
	switch v := v.(type) {
	case int64:
		if f.typ.family != number {
			return nil
		}
		if low := r.bound("min", math.MinInt64); v < low {
			return fmt.Errorf("%d is less than min=%d; correct one of them", v, low)
		}
		if high := r.bound("max", math.MaxInt64); v > high {
			return fmt.Errorf("%d is more than max=%d; correct one of them", v, high)
		}
		if m := r.bound("multipleOf", 1); v%m != 0 {
			return fmt.Errorf("%d is not a multiple of %d, as multipleOf says; correct one of them", v, m)
		}
	case string:
		length := int64(utf8.RuneCountInString(v))
		if low := r.bound("minLength", 0); length < low {
			return fmt.Errorf("%q is shorter than minLength=%d; correct one of them", v, low)
		}
		if high := r.bound("maxLength", math.MaxInt64); length > high {
			return fmt.Errorf("%q is longer than maxLength=%d; correct one of them", v, high)
		}
		if r.pattern != "" && !regexp.MustCompile(r.pattern).MatchString(v) {
			return fmt.Errorf("%q does not match the pattern %s; correct one of them", v, r.pattern)
		}
		if r.format != "" && !strfmt.Default.Validates(r.format, v) {
			return fmt.Errorf("%q is not of the format %s; write it as in %s", v, r.format, formats[r.format])
		}
	}
	return nil
}
