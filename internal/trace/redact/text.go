// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
)

// replacement is one thing to find in text. A line that has none of hints has nothing of it, which is quick to see.
type replacement struct {
	hints   [][]byte
	replace func(text []byte) []byte
}

func hints(all ...string) (b [][]byte) {
	for _, hint := range all {
		b = append(b, []byte(hint))
	}
	return b
}

var (
	jwt        = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(\.[A-Za-z0-9_-]*)?`)
	bearer     = regexp.MustCompile(`(?i)(bearer(?: |%20|\\t)+)([A-Za-z0-9._~+/=-]{8,})`)
	authorized = regexp.MustCompile(`(?i)(authorization(?:\\?")?[:=] *(?:\[?\\?")?(?:basic |token )?)([A-Za-z0-9._~+/=-]{8,})`)
	privateKey = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^"]*-----END [A-Z ]*PRIVATE KEY-----|[^"]*)`)
	quoted     = regexp.MustCompile(`(?:Invalid|Unsupported|Duplicate) value: `)
	scalar     = regexp.MustCompile(`^(?:-?[0-9]+(?:\.[0-9]+)?|true|false|null)(?::|$)`)
	kept       = regexp.MustCompile(`^redacted:[0-9]+:[0-9a-f]{8}`)
	names      = regexp.MustCompile(`^[a-z.]+ "[^"]*" (?:not found|already exists)$|^[a-z./]+(?: "[^"]*")? is forbidden: User "[^"]*" cannot [^{}]*$`)
)

func (r *Redactor) replacements() []replacement {
	all := []replacement{
		{hints("eyJ"), func(b []byte) []byte { return jwt.ReplaceAllFunc(b, r.valueOf) }},
		{hints("earer", "EARER"), func(b []byte) []byte { return r.second(bearer, b) }},
		{hints("uthorization", "UTHORIZATION"), func(b []byte) []byte { return r.second(authorized, b) }},
		{hints("PRIVATE KEY"), func(b []byte) []byte { return privateKey.ReplaceAllFunc(b, r.valueOf) }},
	}
	for _, p := range []struct{ path, name string }{{r.o.Project, "$PROJECT"}, {r.o.Home, "~"}} {
		if path := escaped(p.path); len(path) > 1 { // the root directory is in each path
			all = append(all, replacement{hints(path), func(b []byte) []byte { return replacePath(b, path, p.name) }})
		}
	}
	return all
}

// Hide redacts a credential in text from now on, wherever it occurs.
func (r *Redactor) Hide(token string) {
	t := escaped(token)
	if t == "" {
		return
	}
	r.learning.Lock()
	defer r.learning.Unlock()
	texts := append(slices.Clone(*r.texts.Load()), replacement{hints(t), func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(t), r.valueOf([]byte(t)))
	}})
	r.texts.Store(&texts)
}

// escaped is s as it is within a JSON string.
func escaped(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(b[1 : len(b)-1])
}

func (r *Redactor) valueOf(b []byte) []byte { return []byte(r.value(b)) }

// second replaces the second group of all matches.
func (r *Redactor) second(re *regexp.Regexp, b []byte) []byte {
	return re.ReplaceAllFunc(b, func(match []byte) []byte {
		m := re.FindSubmatch(match)
		if m == nil || bytes.HasPrefix(m[2], []byte("redacted")) {
			return match
		}
		return slices.Concat(m[1], r.valueOf(m[2]))
	})
}

// replacePath replaces a path and what is below it, but not paths that only begin or end with the same characters.
func replacePath(b []byte, path, name string) []byte {
	var out []byte
	for {
		i := bytes.Index(b, []byte(path))
		if i < 0 {
			return append(out, b...)
		}
		end := i + len(path)
		within := i > 0 && inName(b[i-1]) && (i < 2 || b[i-2] != '\\') || end < len(b) && inName(b[end])
		out = append(out, b[:i]...)
		if within {
			out = append(out, path...)
		} else {
			out = append(out, name...)
		}
		b = b[end:]
	}
}

// inName reports whether a character next to a path makes it another path. A dot may end a sentence, and what follows a
// backslash is a line break.
func inName(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Line redacts text: a line of a recording, or a part of one. It may change the line in place. Strings in it are as in
// JSON, and stay so.
func (r *Redactor) Line(line []byte) []byte {
	for _, t := range *r.texts.Load() {
		for _, hint := range t.hints {
			if bytes.Contains(line, hint) {
				line = t.replace(line)
				break
			}
		}
	}
	return line
}

// Message redacts what the API server answered about an object of t: it quotes values that it finds invalid. Of an object that
// has nothing but secrets, only messages that name no more than the object and the user are kept.
func (r *Redactor) Message(t Target, message string) string {
	switch {
	case message == "" || !r.mayQuote(t):
		return message
	case !t.Dropped() && !t.hasData(r):
		return string(r.quotes([]byte(message), false))
	case names.MatchString(message):
		return message
	}
	return r.value([]byte(message))
}

// quotes redacts the values that messages of the API server quote in text, or in a line of JSON.
func (r *Redactor) quotes(text []byte, isJSON bool) []byte {
	var out []byte
	for {
		found := quoted.FindIndex(text)
		if found == nil {
			return append(out, text...)
		}
		out, text = append(out, text[:found[1]]...), text[found[1]:]
		from, to, end := quotation(text, isJSON)
		if to > from {
			out = append(out, r.value(text[from:to])...)
			text = text[end:]
		}
	}
}

// quotation finds the value that text begins with, and the end of its quotes. Quotes within a string have backslashes before them,
// more of them the deeper they are. What is not quoted may have anything in it: all of the message is the value. It is
// empty if nothing is left to redact.
func quotation(text []byte, isJSON bool) (from, to, end int) {
	if kept.Match(text) {
		return 0, 0, 0
	}
	if s := scalar.Find(text); s != nil {
		n := len(bytes.TrimSuffix(s, []byte(":")))
		return 0, n, n
	}
	opening := len(text) - len(bytes.TrimLeft(text, `\\`))
	isQuoted := opening < len(text) && text[opening] == '"' && (!isJSON || opening%2 == 1)
	if isQuoted {
		from = opening + 1
	}
	backslashes := 0
	for i := from; i < len(text); i++ {
		if text[i] == '\\' {
			backslashes++
			continue
		}
		if text[i] == '"' {
			switch {
			case isJSON && backslashes%2 == 0: // the string in JSON ends
				return from, i, i
			case !isQuoted:
			case backslashes < opening: // the string that the message is in ends
				return from, i - backslashes, i - backslashes
			case (backslashes-opening)%(2*(opening+1)) == 0:
				return from, i - opening, i + 1
			}
		}
		backslashes = 0
	}
	return from, len(text), len(text)
}
