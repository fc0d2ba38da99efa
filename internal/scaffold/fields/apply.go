package fields

import (
	"errors"
	"fmt"
	"strings"
)

// apply sets the rules that were said, and returns all that is wrong with them.
func (f *Field) apply(all []said) error {
	var problems []error
	seen := map[string]bool{}
	open := "" // the last rule whose value had no quotes, and may be meant to go on after a colon
	for _, r := range all {
		known, ok := ruleTable()[r.name]
		if !ok && open == "told" {
			continue
		}
		before := ""
		if !ok && open != "" {
			before = fmt.Sprintf(`; if it belongs to the value of %s, put that in quotes: %s="…"`, open, open)
			open = "told"
		}
		if ok {
			open = ""
			if r.hasValue && !r.quoted {
				open = r.name
			}
		}
		var err error
		switch {
		case r.name == "" && !r.hasValue:
			err = errors.New("there is nothing between two colons, or after the last; take that colon out" + before)
		case !ok:
			near := nearest(r.name, ruleNames())
			switch {
			case near != "":
				near = "; did you mean " + near + "?"
			case before == "":
				near = "; the rules are " + strings.Join(ruleNames(), ", ")
			}
			err = fmt.Errorf("the rule %q is not known%s%s", r.name, near, before)
		case seen[r.name] && !known.many:
			err = fmt.Errorf("%s is said twice; leave one out", r.name)
		case r.hasValue && known.value == "":
			err = fmt.Errorf("%s has no value; leave out %q", r.name, "="+r.value)
		case known.value != "" && !known.free && (!r.hasValue || r.value == "" && r.name != "default" && r.name != "example"):
			err = fmt.Errorf("%s needs %s: %s=…", r.name, known.value, r.name)
		default:
			if err = known.fits(f.typ); err == nil {
				err = known.set(f, r.value)
			}
		}
		seen[r.name] = true
		problems = append(problems, err)
	}
	if f.rules.required && f.rules.optional {
		problems = append(problems, errors.New("required and optional are both said; leave one out"))
	}
	if f.rules.required && f.rules.defaultText != nil {
		problems = append(problems, errors.New("required and default are both said, and a default makes a field optional; leave one out"))
	}
	if f.rules.nullable && f.rules.defaultText != nil {
		problems = append(problems, errors.New("nullable and default are both said, and the API server puts the default in the place of null; leave one out"))
	}
	if len(f.rules.listMapKeys) > 0 {
		if f.rules.listType != "" && f.rules.listType != "map" {
			problems = append(problems, fmt.Errorf("listMapKey is for listType=map, not %s; leave one out", f.rules.listType))
		}
		f.rules.listType = "map"
	}
	return errors.Join(append(problems, f.boundsAgree())...)
}
