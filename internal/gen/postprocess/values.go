// SPDX-License-Identifier: Apache-2.0

package postprocess

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/text"
)

// compareValues compares YAML documents by what they say.
func compareValues(generated, file []byte) Result {
	want, err := documents(generated)
	if err != nil {
		return Result{Differences: []string{"what was generated is not YAML: " + err.Error()}}
	}
	have, err := documents(file)
	if err != nil {
		return Result{Differences: []string{"it is not YAML: " + err.Error()}}
	}
	c := comparison{}
	if len(want) == 1 && len(have) == 1 {
		c.value(nil, want[0], have[0])
	} else {
		c.documents(want, have)
	}
	how := Values
	if c.more {
		how = More
	}
	return Result{Differences: slices.Concat(c.lacks, c.extra), How: how, Content: c.content, Object: c.object}
}

// documents are the values of all documents that are not empty.
func documents(text []byte) (all []any, err error) {
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var v any
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if v != nil {
			all = append(all, v)
		}
	}
}

// comparison is one run of compareValues.
type comparison struct {
	lacks []string
	// extra is what the file has and was not generated, where that may as well be what an earlier run generated.
	extra []string
	more  bool
	// content and object are those of [Result].
	content, object bool
}

func (c *comparison) lack(at []string, format string, args ...any) {
	c.lacks = append(c.lacks, place(at)+" "+fmt.Sprintf(format, args...))
	c.differ(at)
}

// differ notes where there is a difference of values.
func (c *comparison) differ(at []string) {
	c.content = true
	if at = below(at); len(at) == 0 || at[0] != "metadata" {
		c.object = true
	}
}

// below is a path in an object, without the identity of one document of several.
func below(at []string) []string {
	if len(at) > 0 && strings.HasSuffix(at[0], ":") {
		return at[1:]
	}
	return at
}

// add notes what the file has and was not generated.
func (c *comparison) add(at []string) {
	if c.more = true; !neverGenerated(at) {
		c.extra = append(c.extra, place(at)+" is not generated")
		c.differ(at)
	}
}

// place is a path as a message has it.
func place(at []string) string {
	where := strings.ReplaceAll(strings.Join(at, "."), ".[", "[")
	return cmp.Or(where, "the document")
}

// neverGenerated reports whether a path is one that controller-gen leaves empty in its manifests, for scripts to fill in.
func neverGenerated(at []string) bool {
	at = below(at)
	switch {
	case len(at) == 0:
		return false
	case at[0] == "metadata" || at[0] == "status":
		return true
	}
	return len(at) == 2 && at[0] == "spec" && (at[1] == "conversion" || at[1] == "preserveUnknownFields")
}

// documents finds each generated document in the file by its kind and name, wherever it stands. One that has another name there is the only one
// of its kind in both.
func (c *comparison) documents(want, have []any) {
	c.more = c.more || len(have) > len(want)
	for _, w := range want {
		i := slices.IndexFunc(have, func(h any) bool { return identity(h) == identity(w) })
		if i < 0 && onlyOfKind(w, want) >= 0 {
			i = onlyOfKind(w, have)
		}
		if i < 0 {
			c.lack([]string{identity(w)}, "is missing")
			continue
		}
		c.value([]string{identity(w) + ":"}, w, have[i])
	}
}

// onlyOfKind is the place of the only document of an object's kind, or -1.
func onlyOfKind(object any, all []any) int {
	kind := func(doc any) any {
		object, _ := doc.(map[string]any)
		return object["kind"]
	}
	same := func(doc any) bool { return kind(doc) == kind(object) }
	i := slices.IndexFunc(all, same)
	if i < 0 || slices.ContainsFunc(all[i+1:], same) {
		return -1
	}
	return i
}

// identity is the kind, namespace and name of an object.
func identity(doc any) string {
	object, _ := doc.(map[string]any)
	meta, _ := object["metadata"].(map[string]any)
	var parts []string
	for _, part := range []any{object["kind"], meta["namespace"], meta["name"]} {
		if part != nil {
			parts = append(parts, fmt.Sprint(part))
		}
	}
	return strings.Join(parts, " ")
}

// value reports what of a generated value the file does not have.
func (c *comparison) value(at []string, want, have any) {
	switch w := want.(type) {
	case map[string]any:
		if h, ok := have.(map[string]any); ok {
			c.mapping(at, w, h)
			return
		}
	case []any:
		if h, ok := have.([]any); ok {
			c.list(at, w, h)
			return
		}
	default:
		if equalScalars(want, have) {
			return
		}
	}
	if w, h, ok := texts(want, have); ok {
		spaced := oneLine(w) == oneLine(h)
		h, w = text.Differ(h, w, longValue)
		if c.lacks = append(c.lacks, fmt.Sprintf("%s is %q, and should be %q", place(at), h, w)); !spaced {
			c.differ(at)
		}
		return
	}
	c.lack(at, "is %s, and should be %s", shown(have), shown(want))
}

func (c *comparison) mapping(at []string, want, have map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if key == crdform.Annotation {
			continue // scripts put in versions of their own, or none
		}
		next := append(slices.Clone(at), key)
		if h, ok := have[key]; ok && (h != nil || !empty(want[key])) { // below a key without a value, a template fills in more
			c.value(next, want[key], have[key])
		} else if !empty(want[key]) {
			c.lack(next, "is missing")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[key]; !ok && key != crdform.Annotation && !empty(have[key]) {
			c.add(append(slices.Clone(at), key))
		}
	}
}

// empty reports whether a value says nothing: an empty mapping or list, or a mapping of the version annotation alone.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		for key, inner := range v {
			if key != crdform.Annotation && !empty(inner) {
				return false
			}
		}
		return true
	}
	return false
}

// list compares the elements that have names by these, and others by their places. Those that were added may stand anywhere.
func (c *comparison) list(at []string, want, have []any) {
	matched := make([]bool, len(have))
	next := 0
	for i, w := range want {
		name := named(w)
		var j int
		switch {
		case name != "":
			j = slices.IndexFunc(have, func(h any) bool { return named(h) == name })
		case len(want) == len(have):
			j = i
		default:
			if j = slices.IndexFunc(have[next:], func(h any) bool { return has(w, h) }); j >= 0 {
				j += next
				next = j + 1
			}
		}
		if j < 0 {
			c.lack(append(slices.Clone(at), element(w, i)), "is missing")
			continue
		}
		matched[j] = true
		c.value(append(slices.Clone(at), fmt.Sprintf("[%s]", cmp.Or(name, strconv.Itoa(i)))), w, have[j])
	}
	for j, h := range have {
		if !matched[j] {
			c.add(append(slices.Clone(at), element(h, j)))
		}
	}
}

// element is the place of an element in a list: its name, itself where it is a scalar, or its number.
func element(v any, i int) string {
	if _, scalar := scalarText(v); scalar {
		return fmt.Sprintf("[%s]", shown(v))
	}
	return fmt.Sprintf("[%s]", cmp.Or(named(v), strconv.Itoa(i)))
}

// has reports whether one value has all of another.
func has(want, have any) bool {
	c := comparison{}
	c.value(nil, want, have)
	return len(c.lacks) == 0
}

// named is the name of an element of a list, such as a version of a CRD; "" where it has none.
func named(v any) string {
	object, _ := v.(map[string]any)
	name, _ := object["name"].(string)
	return name
}

// equalScalars compares scalars as JSON has them: 1 and 1.0 are one number, and a text is never one.
func equalScalars(a, b any) bool {
	x, _ := scalarText(a)
	y, _ := scalarText(b)
	return a == b || isNumber(a) && isNumber(b) && x == y
}

func isNumber(v any) bool {
	switch v.(type) {
	case int, int64, uint64, float64:
		return true
	}
	return false
}

// scalarText is a scalar as text.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case map[string]any, []any:
		return "", false
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return fmt.Sprint(v), true
}

// longValue is how much of a value a message quotes.
const longValue = 60

// texts are two values that are texts, as a message has them: on one line, unless only their lines differ.
func texts(want, have any) (w, h string, ok bool) {
	w, ok = want.(string)
	h, also := have.(string)
	if !ok || !also {
		return "", "", false
	}
	if a, b := oneLine(w), oneLine(h); a != b {
		return a, b, true
	}
	return w, h, true
}

// oneLine is a text with single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shown is a value as a message has it.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "empty"
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case string:
		return strconv.Quote(text.Shorten(oneLine(v), longValue))
	}
	s, _ := scalarText(v)
	return s
}
