package fields

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// transitions refuses rules that compare with the value before where the API server can't tell which that was, and those
// that it takes for too costly: it counts a rule for every item that there may be, and strings by their length.
func (f *Field) transitions() error {
	what := ""
	switch {
	case f.rules.immutable:
		what = "immutable"
	case slices.ContainsFunc(f.rules.cel, func(c celRule) bool { return strings.Contains(c.rule, "oldSelf") }):
		what = "oldSelf in cel"
	case len(f.rules.cel) == 0:
		return nil
	}
	for p := f.owner.parent; p != nil; p = p.owner.parent {
		if p.typ.single() {
			continue
		}
		if what != "" && p.typ.list() && p.rules.listType != "map" {
			return fmt.Errorf("%s: items of %s can't be told apart in an update; give that list a listMapKey, or leave %s out", what, p.path, what)
		}
		name := map[bool]string{true: "maxItems", false: "maxProperties"}[p.typ.list()]
		if _, bounded := p.rules.bounds[name]; !bounded {
			return fmt.Errorf("%s: the API server counts what rules cost for every item, and %s may have any number; say %s in --field %s:%sobject:%s=100",
				cmp.Or(what, "cel"), p.path, name, strings.TrimSuffix(p.inside(), intoOf(p.typ)), p.typ.prefix, name)
		}
		if err := f.bounded(cmp.Or(what, "cel")); err != nil {
			return err
		}
	}
	return nil
}

// bounded tells whether the value is of a size that the API server knows.
func (f *Field) bounded(what string) error {
	switch {
	case f.typ.single() && (f.typ.family == number || f.typ.family == boolean || f.typ.family == instant || f.typ.enum != nil || len(f.rules.enum) > 0):
		return nil
	case f.typ.single() && f.typ.family == text:
		if _, ok := f.rules.bounds["maxLength"]; ok {
			return nil
		}
		return fmt.Errorf("%s: the API server counts what rules cost for every item, by the length of strings; add maxLength=63 or the like", what)
	case what == "cel":
		return nil // it depends on the rule
	}
	return fmt.Errorf("%s: in a list or a map the API server takes this for single values of a known size; leave it out, or say it of the fields in it", what)
}
