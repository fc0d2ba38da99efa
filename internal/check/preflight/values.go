// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"unicode/utf8"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// limits are the bounds that a schema sets, those in allOf included.
type limits struct {
	min, max       *float64
	minOut, maxOut bool // the bound itself is not allowed
	sizes          map[string][2]*int64
	patterns       []*regexp.Regexp
}

func limitsOf(s *apiextv1.JSONSchemaProps) limits {
	l := limits{sizes: map[string][2]*int64{}}
	l.add(s)
	for i := range s.AllOf {
		l.add(&s.AllOf[i])
	}
	return l
}

func (l *limits) add(s *apiextv1.JSONSchemaProps) {
	if s.Minimum != nil && (l.min == nil || *s.Minimum > *l.min || *s.Minimum == *l.min && s.ExclusiveMinimum) {
		l.min, l.minOut = s.Minimum, s.ExclusiveMinimum
	}
	if s.Maximum != nil && (l.max == nil || *s.Maximum < *l.max || *s.Maximum == *l.max && s.ExclusiveMaximum) {
		l.max, l.maxOut = s.Maximum, s.ExclusiveMaximum
	}
	for name, own := range map[string][2]*int64{"Length": {s.MinLength, s.MaxLength}, "Items": {s.MinItems, s.MaxItems}, "Properties": {s.MinProperties, s.MaxProperties}} {
		pair := l.sizes[name]
		if own[0] != nil && (pair[0] == nil || *own[0] > *pair[0]) {
			pair[0] = own[0]
		}
		if own[1] != nil && (pair[1] == nil || *own[1] < *pair[1]) {
			pair[1] = own[1]
		}
		l.sizes[name] = pair
	}
	if s.Pattern != "" {
		if pattern, err := regexp.Compile(s.Pattern); err == nil { // else it is refused
			l.patterns = append(l.patterns, pattern)
		}
	}
}

// ranges finds bounds between which there is nothing.
func (j *judged) ranges() {
	l := limitsOf(j.Schema)
	if l.min != nil && l.max != nil && (*l.min > *l.max || *l.min == *l.max && (l.minOut || l.maxOut)) {
		out := ""
		if *l.min == *l.max {
			out = ", which is excluded"
		}
		j.add("empty-range", "minimum", "no value is possible between the minimum %v and the maximum %v%s", *l.min, *l.max, out)
	}
	for _, name := range []string{"Length", "Items", "Properties"} {
		if pair := l.sizes[name]; pair[0] != nil && pair[1] != nil && *pair[0] > *pair[1] {
			j.add("empty-range", "min"+name, "no value is possible: min%s is %d, and max%s is %d", name, *pair[0], name, *pair[1])
		}
	}
}

// enum finds values that the rest of the schema does not allow, or that are there twice.
func (j *judged) enum() {
	s := j.Schema
	if len(s.Enum) == 0 {
		return
	}
	l := limitsOf(s)
	seen, possible := map[string]bool{}, 0
	var mistyped []string
	refused, reasons := map[string][]string{}, []string(nil) // by reason, and the reasons in the order of the values
	for _, raw := range s.Enum {
		shown := text.Shorten(string(raw.Raw), 60)
		var v any
		decoder := json.NewDecoder(bytes.NewReader(raw.Raw))
		decoder.UseNumber()
		if decoder.Decode(&v) != nil {
			continue
		}
		switch {
		case seen[string(raw.Raw)]:
			j.add("enum-type", "enum", "the enum has the value %s twice", shown)
			continue
		case !isOf(v, s):
			mistyped = append(mistyped, shown)
		default:
			why := l.excludes(v)
			switch {
			case why == "":
				possible++
			case refused[why] == nil:
				reasons = append(reasons, why)
				fallthrough
			default:
				refused[why] = append(refused[why], shown)
			}
		}
		seen[string(raw.Raw)] = true
	}
	begin := len(j.found)
	if len(mistyped) > 0 {
		j.add("enum-type", "enum", "of the enum, %s not of the type %s", values(mistyped, "is", "are"), s.Type)
	}
	for _, why := range reasons {
		j.add("enum-vs-pattern", "enum", "of the enum, %s refused: %s", values(refused[why], "is", "are"), why)
	}
	if possible == 0 {
		for i := range j.found[begin:] {
			j.found[begin+i].Severity = rule.Error // the field cannot be set
		}
	}
}

// values names the first values, with a verb.
func values(all []string, one, many string) string {
	const shown = 5
	if len(all) == 1 {
		return "the value " + all[0] + " " + one
	}
	return "the values " + text.First(all, shown) + " " + many
}

// isOf reports whether a value is of the type of a schema.
func isOf(v any, s *apiextv1.JSONSchemaProps) bool {
	if v == nil {
		return s.Nullable
	}
	switch s.Type {
	case "":
		return true
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	}
	number, ok := v.(json.Number)
	if !ok {
		return false
	}
	f, err := number.Float64()
	return err == nil && (s.Type == "number" || f == math.Trunc(f))
}

// excludes says why a value is not allowed; it is empty for one that is.
func (l limits) excludes(v any) string {
	switch v := v.(type) {
	case string:
		n := int64(utf8.RuneCountInString(v))
		if pair := l.sizes["Length"]; pair[0] != nil && n < *pair[0] {
			return fmt.Sprintf("minLength is %d", *pair[0])
		} else if pair[1] != nil && n > *pair[1] {
			return fmt.Sprintf("maxLength is %d", *pair[1])
		}
		for _, pattern := range l.patterns {
			if !pattern.MatchString(v) {
				return "the pattern is " + text.Shorten(pattern.String(), 60)
			}
		}
	case json.Number:
		f, err := v.Float64()
		switch {
		case err != nil:
		case l.min != nil && (f < *l.min || f == *l.min && l.minOut):
			return fmt.Sprintf("the minimum is %v", *l.min)
		case l.max != nil && (f > *l.max || f == *l.max && l.maxOut):
			return fmt.Sprintf("the maximum is %v", *l.max)
		}
	}
	return ""
}
