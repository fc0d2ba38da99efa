// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/text/goname"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

const (
	specPrefix   = "spec."
	statusPrefix = "status."
	maxDepth     = 8 // names in a path
)

// written is a --field taken apart.
type written struct {
	path, typ string
	rules     []rule
	markers   []string // with the plus
}

// rule is NAME or NAME=VALUE.
type rule struct {
	name, value string
	hasValue    bool
	text        string // as it was written
}

var (
	// quoted is the text in double quotes at the beginning. In it \" is a quote; all other backslashes are themselves, as patterns want
	// them, two in a row too.
	quoted = lazyregexp.New(`(?s)^"(?:[^"\\]|\\.)*"`)
	// quotedOrMarker finds where markers begin, outside of quotes: +$ is a part of a pattern.
	quotedOrMarker = lazyregexp.New("(?s)\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|:\\+\\pL")
)

// split takes a --field apart: markers begin with a plus after a colon, and what is before them is separated by colons that are not in
// quotes, in brackets or in a pattern without quotes.
func split(arg string) (w written, err error) {
	if !utf8.ValidString(arg) || strings.ContainsFunc(arg, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return w, errors.New("has a character that is not printable or not UTF-8; remove it")
	}
	rest := arg
	for _, at := range slices.Backward(quotedOrMarker.FindAllStringIndex(arg, -1)) {
		if arg[at[0]] == ':' {
			w.markers = slices.Insert(w.markers, 0, strings.TrimSpace(rest[at[0]+1:]))
			rest = rest[:at[0]]
		}
	}
	w.path, rest, _ = strings.Cut(rest, ":")
	if w.path == "" || rest == "" {
		return w, errors.New("must be NAME:TYPE, for example replicas:int32")
	}
	w.typ, rest = beforeColon(rest)
	for rest != "" {
		var r rule
		if r, rest, err = nextRule(rest[1:]); err != nil {
			return w, err
		}
		w.rules = append(w.rules, r)
	}
	return w, nil
}

// nextRule takes the next rule from the text; the rest begins with a colon, or is empty.
func nextRule(text string) (r rule, rest string, err error) {
	name := text[:strings.IndexAny(text+":", ":=")]
	r.name = name
	value, hasValue := strings.CutPrefix(text[len(name):], "=")
	r.hasValue = hasValue
	switch {
	case !hasValue:
		rest = value
	case strings.HasPrefix(value, `"`):
		n := len(quoted.FindString(value))
		if n == 0 {
			return r, "", fmt.Errorf("%s: the quote of %s is not closed; close it, and put the --field in single quotes: the shell removes double ones", name, value)
		}
		r.value, rest = strings.ReplaceAll(value[1:n-1], `\"`, `"`), value[n:]
		if rest != "" && rest[0] != ':' {
			return r, "", fmt.Errorf("%s: %q comes after the closing quote; put a colon between, or quote all of the value", name, rest)
		}
	case name == "pattern": // patterns have colons, commas and brackets of their own
		r.value = value
		for _, part := range strings.Split(value, ":")[1:] {
			if inside, _, _ := strings.Cut(part, "="); slices.Contains(ruleNames(), inside) {
				return r, "", fmt.Errorf(`pattern: %q is part of the pattern, which extends to the markers; write pattern as the last rule, or in double quotes: pattern="…"`, part)
			}
		}
	default:
		r.value, rest = beforeColon(value)
	}
	r.text = text[:len(text)-len(rest)]
	return r, rest, nil
}

// beforeColon cuts a text before the first colon that is not in brackets. The reader of the value has better words for brackets and quotes
// that are not closed.
func beforeColon(text string) (before, rest string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && depth > 0:
			i += max(0, len(quoted.FindString(text[i:]))-1)
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth = max(0, depth-1)
		case c == ':' && depth == 0:
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// segment is one part of a path, with the path that ends in it and the type that the next part enters: "[]", "map[string]" or nothing.
type segment struct{ name, path, prefix string }

var (
	nameRule = lazyregexp.New(`^([a-z][A-Za-z0-9]{0,62})(\[\]|\{\})?$`)
	// methods are those that generated code has, or would have with one tag more, on every type of an API.
	methods = []string{"DeepCopy", "DeepCopyInto", "OpenAPIModelName"}
	// given are the fields that every status has.
	given = map[string]bool{"ObservedGeneration": true, "Conditions": true}
)

// splitPath takes a path apart and checks each name.
func splitPath(path string) (segments []segment, err error) {
	parts := strings.Split(path, ".")
	if len(parts) > maxDepth {
		return nil, fmt.Errorf("%s is a path of %d names; the maximum is %d", path, len(parts), maxDepth)
	}
	for i, part := range parts {
		m := nameRule.FindStringSubmatch(part)
		switch {
		case m == nil:
			return nil, fmt.Errorf("the name %q must be lowerCamelCase of at most 63 ASCII letters and digits, for example cronSpec", part)
		case i == len(parts)-1 && m[2] != "":
			return nil, fmt.Errorf("the type makes a list or a map; write %s:%sTYPE, or %s.NAME:TYPE for objects in it", strings.TrimSuffix(path, m[2]), prefixes[m[2]], path)
		case slices.Contains(methods, goname.Camel(m[1])):
			return nil, fmt.Errorf("%s is the name of a generated method; choose another", goname.Camel(m[1]))
		}
		segments = append(segments, segment{m[1], strings.TrimSuffix(strings.Join(parts[:i+1], "."), m[2]), prefixes[m[2]]})
	}
	return segments, nil
}

// prefixes are those of the types that a path enters in each way.
var prefixes = map[string]string{"[]": "[]", "{}": "map[string]"}
