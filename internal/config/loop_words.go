// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is what a hook is: a URL, or the words of a program and its arguments.
type Command struct {
	URL   string
	Words []string
}

// ParseCommand reads a hook. What is not a URL is split as a shell splits words. No shell runs it, so what only a shell can do is
// refused: the program would get it as text.
func ParseCommand(text string) (Command, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		if u, err := url.Parse(text); err != nil || u.Host == "" {
			return Command{}, fmt.Errorf("%q is not a URL; write for example http://127.0.0.1:8000/sync", text)
		}
		return Command{URL: text}, nil
	}
	if first, _, _ := strings.Cut(text, " "); strings.Contains(first, "://") {
		return Command{}, fmt.Errorf("%q: only http and https are supported; use such a URL, or a program", text)
	}
	words, err := split(text)
	switch {
	case errors.Is(err, errShell):
		return Command{}, fmt.Errorf("%w; put it into a script, or write sh -c '...'", err)
	case err != nil:
		return Command{}, err
	case len(words) == 0:
		return Command{}, errors.New("no program is given; write for example ./sync.py or python3 sync.py")
	case words[0] == "":
		return Command{}, fmt.Errorf("%q does not name a program; write for example ./sync.py or python3 sync.py", text)
	}
	return Command{Words: words}, nil
}

// errShell is the error of words that only a shell can make.
var errShell = errors.New("needs a shell, which crdctl does not use")

// split splits text as a shell splits words. What only a shell can do is an error.
func split(text string) (words []string, err error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, fmt.Errorf("%q cannot be split into words: %w; check its quotes", text, err)
	}
	if len(file.Stmts) == 0 {
		return nil, nil
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(file.Stmts) > 1 || stmt.Negated || stmt.Background || len(stmt.Redirs)+len(call.Assigns) > 0 {
		return nil, fmt.Errorf("%q %w", text, errShell)
	}
	for _, word := range call.Args {
		value, plain := literal(word.Parts, false)
		if !plain || strings.HasPrefix(word.Lit(), "~") {
			return nil, fmt.Errorf("%q %w", text, errShell)
		}
		words = append(words, value)
	}
	return words, nil
}

// literal is the value of a word of text and quotes; one with anything else in it, which a shell would put something in the place
// of, is not plain. The library's own (expand.Literal) leaves backslashes outside of quotes where they are.
func literal(parts []syntax.WordPart, quoted bool) (value string, plain bool) {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			unescape(&b, part.Value, quoted)
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			inner, ok := literal(part.Parts, true)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescape takes away the backslashes that a shell does: in double quotes only those before what is special there.
func unescape(b *strings.Builder, text string, quoted bool) {
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("\"\\$`", text[i+1]) >= 0) {
			i++
		}
		b.WriteByte(text[i])
	}
}

// String is the command as ParseCommand reads it.
func (c Command) String() string {
	if c.URL != "" {
		return c.URL
	}
	words := make([]string, len(c.Words))
	for i, word := range c.Words {
		quoted, err := syntax.Quote(word, syntax.LangPOSIX)
		if err != nil { // a character that cannot be quoted, such as a NUL, is in no argument either
			quoted = word
		}
		words[i] = quoted
	}
	return strings.Join(words, " ")
}
