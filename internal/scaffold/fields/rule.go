// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
)

// rules are all of the language; markers of controller-gen and code-generator are passed on. A rule with a marker of its own is for one
// field alone, of one of the families: a list or a map has the last part of the marker for its length.
var rules = []struct {
	name, marker, length, example string
	families                      []family
}{
	{name: "required", example: "image:string:required"},
	{name: "default", example: "class:string:default=standard"},
	{"min", "Minimum", "Min", "replicas:int32:min=1", []family{number}},
	{"max", "Maximum", "Max", "replicas:int32:max=9", []family{number}},
	{"minLength", "MinLength", "Min", "title:string:minLength=3", []family{word}},
	{"maxLength", "MaxLength", "Max", "title:string:maxLength=20", []family{word}},
	{"pattern", "Pattern", "", "host:string:pattern=^[a-z]+$", []family{word}},
	{"enum", "Enum", "", "level:int32:enum=1,2,4", []family{word, number}},
	{name: "immutable", example: "volume:string:immutable"},
}

func ruleNames() (all []string) {
	for _, r := range rules {
		all = append(all, r.name)
	}
	return all
}

// maxExact is the largest integer that controller-tools, which keeps bounds as float64, writes as it was given.
const maxExact = 1 << 53

// apply reads the rules, and returns all that is wrong with them.
func (f *Field) apply(all []rule) error {
	var problems []error
	given := map[string]string{}
	for _, r := range all {
		i := slices.Index(ruleNames(), r.name)
		_, twice := given[r.name]
		switch {
		case removed(r.name) != nil:
			return f.removedRule(r.name)
		case r.text == "":
			problems = append(problems, errors.New("has an empty rule, between two colons or after the last; remove that colon"))
		case i < 0:
			problems = append(problems, unknownRule(r.name))
		case twice:
			problems = append(problems, fmt.Errorf("%s is given twice; remove one", r.name))
		case r.hasValue != strings.Contains(rules[i].example, "="):
			problems = append(problems, fmt.Errorf("%s takes %s; write it as in %s", r.name, map[bool]string{true: "no value", false: "a value"}[r.hasValue], rules[i].example))
		default:
			given[r.name] = r.value
		}
	}
	_, f.required = given["required"]
	_, f.immutable = given["immutable"]
	value, hasDefault := given["default"]
	if hasDefault {
		f.defaultText = &value
	}
	if f.required && hasDefault {
		problems = append(problems, errors.New("required and default cannot be used together: a default makes a field optional; remove one"))
	}
	for i, r := range rules {
		if value, ok := given[r.name]; ok && r.marker != "" {
			marker, err := f.validation(i, value)
			f.markers = append(f.markers, "+kubebuilder:validation:"+r.marker+"="+marker)
			problems = append(problems, err)
		}
	}
	if f.immutable {
		message := f.name + " is immutable"
		if !f.required && !hasDefault {
			message += " once it is set"
		}
		f.markers = append(f.markers, celMarker("self == oldSelf", message))
	}
	return errors.Join(append(problems, ordered(given, "min", "max"), ordered(given, "minLength", "maxLength"))...)
}

func unknownRule(name string) error {
	if near := text.DidYouMean(name, ruleNames()); near != "" {
		return fmt.Errorf("the rule %q is not known; did you mean %s?", name, near)
	}
	return fmt.Errorf("the rule %q is not known; markers begin with a plus, values with a colon in them are in double quotes, and the rules are %s", name, strings.Join(ruleNames(), ", "))
}

// ordered refuses bounds that nothing is between.
func ordered(given map[string]string, low, high string) error {
	l, errLow := strconv.ParseInt(given[low], 10, 64)
	h, errHigh := strconv.ParseInt(given[high], 10, 64)
	if errLow == nil && errHigh == nil && l > h {
		return fmt.Errorf("%s=%d is more than %s=%d; swap them, or remove one", low, l, high, h)
	}
	return nil
}

// validation checks the value of a rule, by its index, and returns it as its marker has it.
func (f *Field) validation(i int, value string) (string, error) {
	r := rules[i]
	switch {
	case f.typ.list() && r.length != "":
		return "", fmt.Errorf("%s does not apply to lists; write :+kubebuilder:validation:%sItems=%s", r.name, r.length, value)
	case f.typ.dict() && r.length != "":
		return "", fmt.Errorf("%s does not apply to maps; write :+kubebuilder:validation:%sProperties=%s", r.name, r.length, value)
	case !f.typ.single() || !slices.Contains(r.families, f.typ.family) || f.typ.enum != nil:
		return "", fmt.Errorf("%s does not apply to the type %s; remove it", r.name, f.typ)
	case r.name == "pattern":
		if _, err := regexp.Compile(value); err != nil {
			return "", fmt.Errorf("pattern: %w; correct it (the API server reads patterns as Go does)", err)
		}
		if !strconv.CanBackquote(value) {
			return strconv.Quote(value), nil
		}
		return "`" + value + "`", nil
	case r.name == "enum":
		return f.enumValues(value)
	case f.typ.family == word:
		if _, err := strconv.ParseUint(value, 10, 31); err != nil {
			return "", fmt.Errorf("%s: %q is not a whole number from 0 to %d; write it as in %s", r.name, value, 1<<31-1, r.example)
		}
		return value, nil
	}
	v, err := f.value(value)
	if n, ok := v.(int64); ok && (n < -maxExact || n > maxExact) {
		err = fmt.Errorf("%d is beyond 2^53, where numbers in JSON are not exact; use a smaller one", n)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.name, err)
	}
	return value, nil
}

// enumValues reads the values of enum=, which have commas between them.
func (f *Field) enumValues(list string) (string, error) {
	var values []any
	for v := range strings.SplitSeq(list, ",") {
		typed, err := f.value(strings.TrimSpace(v))
		if err != nil {
			return "", fmt.Errorf("enum: %w", err)
		}
		if slices.Contains(values, typed) {
			return "", fmt.Errorf("enum: %q is given twice; remove one", v)
		}
		values = append(values, typed)
	}
	return enumMarker(values), nil
}

// pass takes the markers that are passed on. Those of columns are the kind's, and those that fields get in any case are rules here.
func (f *Field) pass(markers []string) error {
	var problems []error
	for _, m := range markers {
		name, _, _ := strings.Cut(m, "=")
		switch {
		case strings.HasPrefix(m, columnPrefix):
			c, err := parseColumn(m)
			f.columns = append(f.columns, c)
			problems = append(problems, err)
		case name == "+required", name == "+optional", name == "+default", strings.HasPrefix(name, "+kubebuilder:default"):
			problems = append(problems, fmt.Errorf("%s has a rule; write required, default=VALUE or neither, before the markers", name))
		default:
			f.markers = append(f.markers, m)
		}
	}
	return errors.Join(problems...)
}
