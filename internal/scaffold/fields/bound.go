package fields

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// boundsOf are the rules that bound something, with what that is.
var boundsOf = map[string]string{
	"min": "number", "max": "number", "multipleOf": "number", "minLength": "string", "maxLength": "string",
	"minItems": "list", "maxItems": "list", "minProperties": "map", "maxProperties": "map",
}

// boundKind is what is to be bounded of a type: one of the values of boundsOf, or empty.
func boundKind(t typ) string {
	switch {
	case t.list():
		return "list"
	case t.dict():
		return "map"
	case t.family == number:
		return "number"
	case t.family == text && t.enum == nil:
		return "string"
	}
	return ""
}

// instead are the rules for the lower and the upper bound of each kind.
var instead = map[string][2]string{
	"number": {"min", "max"}, "string": {"minLength", "maxLength"}, "list": {"minItems", "maxItems"}, "map": {"minProperties", "maxProperties"},
}

func boundFits(name string) func(typ) error {
	return func(t typ) error {
		kind := boundKind(t)
		if kind == boundsOf[name] {
			return nil
		}
		act := "leave it out"
		if pair, ok := instead[kind]; ok && name != "multipleOf" {
			act = "use " + pair[0]
			if name[:3] == "max" {
				act = "use " + pair[1]
			}
		}
		whose := map[string]string{"number": "int32 and int64", "string": "strings", "list": "lists", "map": "maps"}[boundsOf[name]]
		return fmt.Errorf("%s is for %s, not for %s; %s", name, whose, t.what(), act)
	}
}

// maxExact is the largest integer that controller-tools, which keeps bounds as float64, writes as it was said.
const maxExact = 1 << 53

func setBound(name string) func(*Field, string) error {
	return func(f *Field, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %q is not a whole number; write one, for example %s=1", name, value, name)
		case boundsOf[name] != "number" && (n < 0 || n > math.MaxInt32):
			return fmt.Errorf("%s: %d must be 0 or more, and not more than %d; choose another", name, n, math.MaxInt32)
		case name == "multipleOf" && n < 1:
			return fmt.Errorf("multipleOf: %d must be 1 or more; choose another", n)
		case f.typ.base == "int32" && (n < math.MinInt32 || n > math.MaxInt32):
			return fmt.Errorf("%s: %d does not fit into an int32; use int64, or a smaller number", name, n)
		case n < -maxExact || n > maxExact:
			return fmt.Errorf("%s: %d is beyond 2^53, where numbers in JSON are not exact; use a smaller one", name, n)
		}
		if f.rules.bounds == nil {
			f.rules.bounds = map[string]int64{}
		}
		f.rules.bounds[name] = n
		return nil
	}
}

// bound returns a bound, or the value that is meant where nothing is said.
func (r *rules) bound(name string, otherwise int64) int64 {
	if n, ok := r.bounds[name]; ok {
		return n
	}
	return otherwise
}

// boundsAgree tells whether there is a value between the bounds.
func (f *Field) boundsAgree() error {
	var problems []error
	for _, pair := range [][2]string{{"min", "max"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}} {
		low, hasLow := f.rules.bounds[pair[0]]
		high, hasHigh := f.rules.bounds[pair[1]]
		if hasLow && hasHigh && low > high {
			problems = append(problems, fmt.Errorf("%s=%d is more than %s=%d; swap them, or leave one out", pair[0], low, pair[1], high))
		}
	}
	return errors.Join(problems...)
}

func setPattern(f *Field, value string) error {
	if _, err := regexp.Compile(value); err != nil {
		return fmt.Errorf("pattern: %w; correct it (the API server reads patterns as Go does)", err)
	}
	f.rules.pattern = value
	return nil
}
