// SPDX-License-Identifier: Apache-2.0

package args

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"
)

// field is an argument of a word. Its target is a *string, a *[]string, a **bool or a **int.
type field struct {
	name     string
	target   any
	required bool
}

// values reads what is after the first "=" of a word. Its rules are those of controller-tools (pkg/markers/parse.go), oddities
// included: the tokens are Go's, and a value without quotes goes up to the next comma, semicolon or brace.
type values struct {
	scanner.Scanner
	raw string
	err error // the first
}

const tokens = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanRawStrings

func newValues(raw string) *values {
	v := &values{raw: raw}
	v.Init(strings.NewReader(raw))
	v.Mode = tokens
	v.Error = func(_ *scanner.Scanner, message string) { v.fail("%s", message) }
	return v
}

func (v *values) fail(format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf(format, args...)
	}
}

// anonymous reads a word that is one value, such as paths=./....
func anonymous(raw string, target any) error {
	v := newValues(raw)
	if v.Peek() == scanner.EOF {
		return fmt.Errorf("it has no value")
	}
	v.value(target)
	return v.end()
}

// arguments reads the options of a generator or a rule.
func arguments(raw string, fields []field) error {
	v := newValues(raw)
	seen := map[string]bool{}
	for v.Peek() != scanner.EOF && v.argument(fields, seen) && v.err == nil && v.Peek() != scanner.EOF && v.expect(',', "a comma") {
		if v.Peek() == scanner.EOF {
			v.expect(scanner.Ident, "the name of an option")
		}
	}
	if err := v.end(); err != nil {
		return err
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			return fmt.Errorf("the option %s is missing", f.name)
		}
	}
	return nil
}

// argument reads one NAME=VALUE.
func (v *values) argument(fields []field, seen map[string]bool) bool {
	if !v.expect(scanner.Ident, "the name of an option") {
		return false
	}
	name := v.TokenText()
	if !v.expect('=', "an equals sign") {
		return false
	}
	var known []string
	for _, f := range fields {
		if f.name == name {
			seen[name] = true
			v.value(f.target)
			return true
		}
		known = append(known, f.name)
	}
	v.fail("%w", unknown("option", name, known))
	return false
}

// end is the error of what was read, or of what is left.
func (v *values) end() error {
	if v.err == nil && v.Scan() != scanner.EOF {
		v.fail("%q is left over; separate paths with a semicolon, and quote a value with commas", v.raw[v.Offset:])
	}
	return v.err
}

func (v *values) value(target any) {
	switch target := target.(type) {
	case *string:
		*target = v.text()
	case *[]string:
		*target = v.list()
	case **int:
		*target = v.number()
	case **bool:
		if v.expect(scanner.Ident, "true or false") {
			is := v.TokenText() == "true"
			if !is && v.TokenText() != "false" {
				v.fail("expected true or false, got %q", v.TokenText())
			}
			*target = &is
		}
	}
}

func (v *values) number() *int {
	sign := ""
	if v.Peek() == '-' {
		v.Scan()
		sign = "-"
	}
	if !v.expect(scanner.Int, "a number") {
		return nil
	}
	n, err := strconv.Atoi(sign + v.TokenText())
	if err != nil {
		v.fail("%q is not a decimal number", v.TokenText())
	}
	return &n
}

// text reads a value with or without quotes. There is no way to write an empty one but quotes, unless it is the last.
func (v *values) text() string {
	v.Mode = tokens &^ scanner.ScanInts &^ scanner.ScanFloats
	defer func() { v.Mode = tokens }()
	if tok := v.Scan(); tok == scanner.String || tok == scanner.RawString {
		s, err := strconv.Unquote(v.TokenText())
		if err != nil {
			v.fail("%s is not a quoted value: %w", v.TokenText(), err)
		}
		return s
	}
	start := v.Offset
	for hint := v.peek(); hint != ',' && hint != ';' && hint != '}' && hint != scanner.EOF; hint = v.peek() {
		v.Scan()
	}
	return v.raw[start : v.Offset+len(v.TokenText())]
}

// list reads a;b or {a,b}.
func (v *values) list() (all []string) {
	separator, last := rune(';'), rune(',')
	if v.peek() == '{' {
		v.Scan()
		separator, last = ',', '}'
	}
	for hint := v.peek(); hint != '}' && hint != last && hint != scanner.EOF; hint = v.peek() {
		all = append(all, v.text())
		if tok := v.peek(); tok == '}' || tok == last || tok == scanner.EOF {
			break
		}
		if !v.expect(separator, strconv.QuoteRune(separator)) {
			return all
		}
	}
	if last == '}' {
		v.expect('}', "a closing brace")
	}
	return all
}

// peek is the next character that is not a space.
func (v *values) peek() rune {
	for hint := v.Peek(); hint <= ' ' && hint != scanner.EOF && (1<<uint(hint))&scanner.GoWhitespace != 0; hint = v.Peek() {
		v.Next()
	}
	return v.Peek()
}

func (v *values) expect(token rune, what string) bool {
	if got := v.Scan(); got != token {
		v.fail("expected %s, got %q", what, v.TokenText())
		return false
	}
	return true
}
