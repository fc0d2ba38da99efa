// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// hints are what corrects what the decoder finds, by the beginning of its words; the first that fits holds.
var hints = []struct{ what, fix string }{
	{"mapping values are not allowed", `quote a value with ": " in it, or correct the indentation`},
	{"found character that cannot start any token", "indent with spaces, and quote a value that begins with @, `, % or a tab"},
	{"found a tab character", "indent with spaces, not tabs"},
	{"could not find expected ':'", `add ":" after the key, or indent the line as a part of the value above`},
	{"did not find expected key", "indent the line as the keys next to it, or close the quote or bracket above"},
	{"did not find expected '-' indicator", "indent the line as the items of the list, or close the list above"},
	{"did not find expected ',' or ']'", `separate the items with ",", or close the list with "]"`},
	{"did not find expected ',' or '}'", `separate the keys with ",", or close the map with "}"`},
	{noValue, "add what is missing"},
	{"found unexpected end of stream", "close the quote"},
	{"found unexpected document indicator", "close the quote before ---"},
	{"found unknown escape character", "use single quotes, or write each backslash twice"},
	{"block sequence entries are not allowed", "begin the list on a line of its own"},
	{"mapping keys are not allowed", "begin the key on a line of its own"},
	{"unknown anchor", "define the anchor with & before it is used, or quote a value that begins with *"},
	{"did not find expected alphabetic or numeric character", "quote a value that begins with * or &"},
}

// noValue is written for what libyaml says of a node that is missing, which few users understand.
const noValue = "invalid YAML: a value is missing or a bracket is not closed"

// hint is how to correct a problem.
func hint(what string) string {
	if twice.MatchString(what) {
		return "remove one of the two"
	}
	for _, h := range hints {
		if strings.HasPrefix(what, h.what) {
			return h.fix
		}
	}
	return "correct the YAML"
}

// colon matches one that ends a key.
var colon = regexp.MustCompile(`:(\s|$)`)

// columnOfProblem is the column of a problem in its line, where the line shows it; 0 for none.
func columnOfProblem(what string, line []byte) int {
	if key := twice.FindStringSubmatch(what); key != nil {
		return columnOf(key[1], line)
	}
	at := -1
	switch indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; {
	case strings.HasPrefix(what, "mapping values are not allowed"):
		if colons := colon.FindAllIndex(line, 2); len(colons) > 1 { // the first is the one of the key
			at = colons[1][0]
		}
	case strings.HasPrefix(what, "found character that cannot start any token"), strings.HasPrefix(what, "found a tab character"):
		at = bytes.IndexByte(indent, '\t')
	}
	return utf8.RuneCount(line[:at+1])
}
