package fields

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// said is one rule as it was written.
type said struct {
	name, value string
	hasValue    bool
	quoted      bool
}

// printable refuses what would end a comment's line, or would not be seen in it.
func printable(arg string) error {
	if !utf8.ValidString(arg) {
		return errors.New("is not UTF-8; write it in UTF-8")
	}
	for _, r := range arg {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("has the character %U, which can't be printed; leave it out", r)
		}
	}
	return nil
}

// split takes a --field apart at the colons that are not in quotes, in brackets, or in a pattern without quotes.
func split(arg string) (name, typ string, rules []said, err error) {
	name, rest, ok := strings.Cut(arg, ":")
	if !ok || name == "" || rest == "" {
		return "", "", nil, errors.New("must be NAME:TYPE, for example replicas:int32")
	}
	typ, rest, more, err := until(rest)
	if err != nil {
		return "", "", nil, err
	}
	for more {
		var r said
		if r, rest, more, err = nextRule(rest); err != nil {
			return "", "", nil, err
		}
		if n := len(rules); n > 0 && rules[n-1].name == "column" && rules[n-1].hasValue && !r.hasValue && digits(r.name) {
			rules[n-1].value += ":" + r.name // column=NAME:PRIORITY
			continue
		}
		rules = append(rules, r)
	}
	return name, typ, rules, nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// nextRule takes the next rule from the text.
func nextRule(text string) (r said, rest string, more bool, err error) {
	end := strings.IndexAny(text, ":=")
	if end < 0 || text[end] == ':' {
		r.name, rest, more = strings.Cut(text, ":")
		return r, rest, more, nil
	}
	r = said{name: text[:end], hasValue: true}
	text = text[end+1:]
	switch {
	case strings.HasPrefix(text, `"`):
		r.quoted = true
		if r.value, rest, err = unquote(text); err != nil {
			return r, "", false, fmt.Errorf("%s: %w", r.name, err)
		}
		if rest == "" {
			return r, "", false, nil
		}
		if rest[0] != ':' {
			return r, "", false, fmt.Errorf("%s: %q comes after the closing quote; put a colon between, or quote all of the value", r.name, rest)
		}
		return r, rest[1:], true, nil
	case r.name == "pattern":
		// Patterns have colons, commas and brackets of their own, so an unquoted one takes the rest of the line.
		for _, part := range strings.Split(text, ":")[1:] {
			if word, _, _ := strings.Cut(part, "="); slices.Contains(ruleNames(), word) {
				return r, "", false, fmt.Errorf(`pattern: a pattern without quotes takes the rest of the line, and %q is in it; put the pattern last, or in quotes: pattern="…"`, part)
			}
		}
		r.value = text
		return r, "", false, nil
	}
	r.value, rest, more, err = until(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", r.name, err)
	}
	return r, rest, more, err
}

// unquote reads a text in double quotes. In it \" is a quote; all other backslashes are themselves, as patterns want them.
func unquote(text string) (value, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:], nil
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '"':
			b.WriteByte('"')
			i++
		case text[i] == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2]) // so that a quote after two backslashes ends the text
			i++
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", fmt.Errorf("the quote of %s is not closed; close it, and mind that the shell takes quotes away: put the --field in single quotes", text)
}

// closing are the brackets in which a colon does not end a value.
var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// until returns what comes before the first colon that is in no brackets, and whether there was one.
func until(text string) (value, rest string, more bool, err error) {
	var open []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case len(open) > 0 && c == '"':
			_, after, err := unquote(text[i:])
			if err != nil {
				return "", "", false, err
			}
			i = len(text) - len(after) - 1
		case closing[c] != 0:
			open = append(open, closing[c])
		case len(open) > 0 && c == open[len(open)-1]:
			open = open[:len(open)-1]
		case c == ':' && len(open) == 0:
			return text[:i], text[i+1:], true, nil
		}
	}
	if len(open) > 0 {
		return "", "", false, fmt.Errorf("the bracket of %q is not closed; add %q, or put the value in quotes", text, string(open[len(open)-1]))
	}
	return text, "", false, nil
}
