package fields

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
)

// The rules of the language. All others of controller-gen and code-generator are markers, which are passed on.
var ruleNames = []string{"required", "default", "enum", "min", "max", "minLength", "maxLength", "pattern", "immutable"}

// validations are the markers of the rules that have one of their own, in the order in which they are written, and the families that
// each is for.
var validations = []struct {
	rule, marker string
	families     []family
}{
	{"min", "Minimum", []family{number}},
	{"max", "Maximum", []family{number}},
	{"minLength", "MinLength", []family{word}},
	{"maxLength", "MaxLength", []family{word}},
	{"pattern", "Pattern", []family{word}},
	{"enum", "Enum", []family{word, number}},
}

// maxExact is the largest integer that controller-tools, which keeps bounds as float64, writes as it was given.
const maxExact = 1 << 53

// apply reads the rules, and returns all that is wrong with them.
func (f *Field) apply(all []rule) error {
	var problems []error
	given := map[string]string{}
	for _, r := range all {
		_, twice := given[r.name]
		switch {
		case r.name == "" && !r.hasValue:
			problems = append(problems, errors.New("has nothing between two colons, or after the last; remove that colon"))
		case !slices.Contains(ruleNames, r.name):
			problems = append(problems, unknownRule(r.name))
		case twice:
			problems = append(problems, fmt.Errorf("%s is given twice; leave one out", r.name))
		case (r.name == "required" || r.name == "immutable") == r.hasValue:
			problems = append(problems, fmt.Errorf("%s; write it as in %s", map[bool]string{true: r.name + " has no value", false: r.name + " needs a value"}[r.hasValue], ruleExamples[r.name]))
		default:
			given[r.name] = r.value
		}
	}
	_, f.required = given["required"]
	_, f.immutable = given["immutable"]
	if value, ok := given["default"]; ok {
		f.defaultText = &value
		if f.required {
			problems = append(problems, errors.New("required and default exclude each other: a default makes a field optional; leave one out"))
		}
	}
	for _, v := range validations {
		if value, ok := given[v.rule]; ok {
			marker, err := f.validation(v.rule, value, v.families)
			f.markers = append(f.markers, "+kubebuilder:validation:"+v.marker+"="+marker)
			problems = append(problems, err)
		}
	}
	return errors.Join(append(problems, ordered(given, "min", "max"), ordered(given, "minLength", "maxLength"))...)
}

var ruleExamples = map[string]string{
	"required": "image:string:required", "immutable": "volume:string:immutable", "default": "class:string:default=standard", "enum": "level:int32:enum=1,2,4",
	"min": "replicas:int32:min=1", "max": "replicas:int32:max=9", "minLength": "title:string:minLength=3", "maxLength": "title:string:maxLength=20",
	"pattern": "host:string:pattern=^[a-z]+$",
}

func unknownRule(name string) error {
	if near := text.DidYouMean(name, ruleNames); near != "" {
		return fmt.Errorf("the rule %q is not known; did you mean %s?", name, near)
	}
	return fmt.Errorf("the rule %q is not known; markers begin with a plus, values with a colon in them are in double quotes, and the rules are %s", name, strings.Join(ruleNames, ", "))
}

// ordered refuses bounds that nothing is between.
func ordered(given map[string]string, low, high string) error {
	l, errLow := strconv.ParseInt(given[low], 10, 64)
	h, errHigh := strconv.ParseInt(given[high], 10, 64)
	if errLow == nil && errHigh == nil && l > h {
		return fmt.Errorf("%s=%d is more than %s=%d; swap them, or leave one out", low, l, high, h)
	}
	return nil
}

// validation checks the value of a rule, and returns it as its marker has it.
func (f *Field) validation(name, value string, families []family) (string, error) {
	if !f.typ.single() || !slices.Contains(families, f.typ.family) || f.typ.enum != nil {
		hint := "leave it out"
		if what := map[bool]string{f.typ.list(): "Items", f.typ.dict(): "Properties"}[true]; what != "" && len(name) >= 3 && name != "pattern" && name != "enum" {
			hint = fmt.Sprintf("write :+kubebuilder:validation:%s%s=%s", map[bool]string{true: "Min", false: "Max"}[name[:3] == "min"], what, value)
		}
		return "", fmt.Errorf("%s is for %s, not for %s; %s", name, map[family]string{word: "strings", number: "int32 and int64"}[families[0]], f.typ.what(), hint)
	}
	switch name {
	case "pattern":
		if _, err := regexp.Compile(value); err != nil {
			return "", fmt.Errorf("pattern: %w; correct it (the API server reads patterns as Go does)", err)
		}
		if !strconv.CanBackquote(value) {
			return strconv.Quote(value), nil
		}
		return "`" + value + "`", nil
	case "enum":
		return f.enumValues(value)
	}
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %q is not a whole number; write it as in %s", name, value, ruleExamples[name])
	case f.typ.family == word && (n < 0 || n > math.MaxInt32):
		return "", fmt.Errorf("%s: %d must be from 0 to %d", name, n, math.MaxInt32)
	case f.typ.base == "int32" && (n < math.MinInt32 || n > math.MaxInt32):
		return "", fmt.Errorf("%s: %d does not fit into an int32; use int64, or a smaller number", name, n)
	case n < -maxExact || n > maxExact:
		return "", fmt.Errorf("%s: %d is beyond 2^53, where numbers in JSON are not exact; use a smaller one", name, n)
	}
	return value, nil
}

// enumValues reads the values of enum=, which have commas between them.
func (f *Field) enumValues(list string) (string, error) {
	var values []any
	for v := range strings.SplitSeq(list, ",") {
		typed, err := f.scalar(strings.TrimSpace(v))
		if err != nil {
			return "", fmt.Errorf("enum: %w", err)
		}
		if slices.Contains(values, typed) {
			return "", fmt.Errorf("enum: %q is there twice; leave one out", v)
		}
		values = append(values, typed)
	}
	return enumMarker(values), nil
}
