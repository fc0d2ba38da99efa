// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// ofRule is the place of a CEL rule: see ofExpression.
func ofRule(crd *project.CRD, version string, path []string, index int, expression string, column int) rule.Place {
	return ofExpression(crd, version, path, index, "rule", expression, column)
}

// ofExpression is the place of an expression of the rule with an index: the marker that has its text, at a character of the expression, from 1, if
// that is not 0. Where no marker has it, it is the field, or in the manifest the text, or its key.
func ofExpression(crd *project.CRD, version string, path []string, index int, key, expression string, column int) rule.Place {
	find := func(text string) (int, bool) {
		offset, ok := locateExpression(text, expression, column)
		if column == 0 {
			offset = 0
		}
		return offset, ok
	}
	if place, ok := crd.Marker(version, path, find); ok {
		return place
	}
	if _, ok := crd.GoField(version, path); ok {
		return crd.At(version, path)
	}
	keys := []string{"x-kubernetes-validations", strconv.Itoa(index), key}
	if column > 0 {
		before := string([]rune(expression)[:min(column-1, utf8.RuneCountInString(expression))])
		if place, ok := crd.InText(expression, len(before), schemaKeys(crd, version, path, keys...)...); ok {
			return place
		}
	}
	return inSchema(crd, version, path, keys...)
}

// character is where a line and a column of an expression are in it, from 1; 0 if they are not.
func character(expression, line, column string) int {
	l, err := strconv.Atoi(line)
	lines := strings.SplitAfter(expression, "\n")
	if err != nil || l < 1 || l > len(lines) {
		return 0
	}
	c, err := strconv.Atoi(column) // 0 for the expression as a whole
	if err != nil || c < 1 {
		return 0
	}
	return utf8.RuneCountInString(strings.Join(lines[:l-1], "")) + c
}

// locateExpression finds an expression among the quoted values of a marker, and returns the offset of one of its columns, from 1, in bytes.
func locateExpression(marker, expression string, column int) (offset int, ok bool) {
	for start := 0; start < len(marker); start++ {
		quote := marker[start]
		if quote != '"' && quote != '`' && quote != '\'' {
			continue
		}
		value, offsets, end := unquote(marker, start)
		if value == expression {
			return offsets[min(max(column-1, 0), len(offsets)-1)], true
		}
		start = end
	}
	return 0, false
}

// unquote reads the quoted value that begins at start: the value, the offset of each of its characters, and that of the closing quote.
func unquote(marker string, start int) (value string, offsets []int, end int) {
	quote := marker[start]
	var b strings.Builder
	rest := marker[start+1:]
	for rest != "" && rest[0] != quote {
		offsets = append(offsets, len(marker)-len(rest))
		if quote == '`' {
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(rest[:n])
			rest = rest[n:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			break
		}
		b.WriteRune(r)
		rest = tail
	}
	end = len(marker) - len(rest)
	return b.String(), append(offsets, end), end
}

// short is an expression as messages quote it: on one line, and not all of a long one.
func short(expression string) string {
	line := text.Shorten(strings.Join(strings.Fields(expression), " "), 80)
	if strings.Contains(line, `"`) && !strings.Contains(line, "`") {
		return "`" + line + "`"
	}
	return strconv.Quote(line)
}
