package fields

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// printable refuses what would end a comment's line, or would not be seen in it.
func printable(arg string) error {
	if !utf8.ValidString(arg) {
		return errors.New("is not UTF-8; write it in UTF-8")
	}
	for _, r := range arg {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("has the character %U, which cannot be printed; leave it out", r)
		}
	}
	return nil
}

// split takes a --field apart: markers begin with a plus after a colon, and what is before them is separated by colons that are not in
// quotes, in brackets or in a pattern without quotes.
func split(arg string) (w written, err error) {
	arg, rest, more := until(arg, ":+")
	for more {
		var m string
		m, rest, more = until(rest, ":+")
		w.markers = append(w.markers, "+"+strings.TrimSpace(m))
	}
	name, rest, ok := strings.Cut(arg, ":")
	if !ok || name == "" || rest == "" {
		return w, errors.New("must be NAME:TYPE, for example replicas:int32")
	}
	w.path = name
	w.typ, rest, ok = until(rest, ":")
	for ok {
		var r rule
		text := rest
		if r, rest, ok, err = nextRule(text); err != nil {
			return w, err
		}
		r.text = text[:len(text)-len(rest)]
		if ok {
			r.text = strings.TrimSuffix(r.text, ":")
		}
		w.rules = append(w.rules, r)
	}
	return w, err
}

// nextRule takes the next rule from the text, and reports whether more follow.
func nextRule(text string) (r rule, rest string, more bool, err error) {
	end := strings.IndexAny(text, ":=")
	if end < 0 || text[end] == ':' {
		r.name, rest, more = strings.Cut(text, ":")
		return r, rest, more, nil
	}
	r, text = rule{name: text[:end], hasValue: true}, text[end+1:]
	switch {
	case strings.HasPrefix(text, `"`):
		n := len(quoted.FindString(text))
		if n == 0 {
			return r, "", false, fmt.Errorf("%s: the quote of %s is not closed; close it, and put the --field in single quotes: the shell removes double ones", r.name, text)
		}
		r.value = strings.ReplaceAll(text[1:n-1], `\"`, `"`)
		if rest = text[n:]; rest != "" && rest[0] != ':' {
			return r, "", false, fmt.Errorf("%s: %q comes after the closing quote; put a colon between, or quote all of the value", r.name, rest)
		}
		rest, more = strings.CutPrefix(rest, ":")
	case r.name == "pattern":
		r.value = text // patterns have colons, commas and brackets of their own
		for _, part := range strings.Split(text, ":")[1:] {
			if name, _, _ := strings.Cut(part, "="); slices.Contains(ruleNames, name) {
				return r, "", false, fmt.Errorf(`pattern: %q is in the pattern, which takes what is behind it up to the markers; write it last of the rules, or in double quotes: pattern="…"`, part)
			}
		}
	default:
		r.value, rest, more = until(text, ":")
	}
	return r, rest, more, nil
}

// quoted is the text in double quotes at the beginning. In it \" is a quote; all other backslashes are themselves, as patterns want
// them, two in a row too.
var quoted = regexp.MustCompile(`(?s)^"(?:[^"\\]|\\.)*"`)

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// until cuts a text at the first separator that is not in quotes. That is a colon, and then not in brackets either, or a colon with
// the plus of a marker: +$ is a part of a pattern. Brackets and quotes that are not closed mean nothing: the reader of the value has
// better words for them.
func until(text, sep string) (before, after string, found bool) {
	var open []byte
	markers := sep != ":"
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"' && (markers || len(open) > 0):
			i += max(0, len(quoted.FindString(text[i:]))-1)
		case c == '`' && markers:
			i += strings.IndexByte(text[i+1:], '`') + 1
		case closing[c] != 0 && !markers:
			open = append(open, closing[c])
		case len(open) > 0 && c == open[len(open)-1]:
			open = open[:len(open)-1]
		case len(open) == 0 && strings.HasPrefix(text[i:], sep):
			after = text[i+len(sep):]
			if first, _ := utf8.DecodeRuneInString(after); !markers || unicode.IsLetter(first) {
				return text[:i], after, true
			}
		}
	}
	return text, "", false
}
