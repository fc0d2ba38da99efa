// SPDX-License-Identifier: Apache-2.0

package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Line int // in the text, from 1; 0 where the decoder does not tell
	Col  int // from 1; 0 where the line does not show it
	What string
	Hint string // how to correct it
}

// noNode is what libyaml says of a value that is missing.
const noNode = "did not find expected node content"

var (
	atLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)
	// twice is what the decoder says of a key that a mapping has already.
	twice = regexp.MustCompile(`^(?:mapping )?key "(.+)" already (?:set in map|defined at line \d+)$`)
	// byParser are the errors that the decoder's parser finds. Their lines it counts from 0; those of its scanner, and of
	// values, from 1.
	byParser = []string{
		"did not find expected <stream-start>", "did not find expected <document start>", noNode,
		"did not find expected '-' indicator", "did not find expected key", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
		"found undefined tag handle", "found incompatible YAML document", "found duplicate %YAML directive", "found duplicate %TAG directive",
	}
)

// Problems are what the error of sigs.k8s.io/yaml says of a text.
func Problems(text []byte, err error) []Problem {
	said := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	said = strings.TrimPrefix(said, "yaml: unmarshal errors:\n")
	last := bytes.Count(bytes.TrimRight(text, "\n\r\t "), []byte("\n")) + 1
	lines := bytes.Split(text, []byte("\n"))
	var all []Problem
	for line := range strings.Lines(said) {
		m := atLine.FindStringSubmatch(strings.TrimSpace(line))
		what := strings.Replace(m[2], noNode, noValue, 1)
		p := Problem{What: what, Hint: hint(what)}
		p.Line, _ = strconv.Atoi(m[1]) // 0 for none
		if slices.Contains(byParser, m[2]) {
			p.Line++
		}
		p.Line = min(p.Line, last) // what is missing at the end is missing on the last line
		if p.Line > 0 {
			p.Col = columnOfProblem(p.What, lines[p.Line-1])
		}
		all = append(all, p)
	}
	return all
}

// columnOf is where a key stands last in a line; 0 if it is written in another way.
func columnOf(key string, line []byte) int {
	all := regexp.MustCompile(`(?:^|[\s{,])(["']?`+regexp.QuoteMeta(key)+`["']?)[ \t]*:`).FindAllSubmatchIndex(line, -1)
	if len(all) == 0 {
		return 0
	}
	return utf8.RuneCount(line[:all[len(all)-1][2]]) + 1
}

// Error is the error of sigs.k8s.io/yaml about a document, as file:line:col: problem; hint, one a line. The column is left out if it is not
// known.
func (d Document) Error(file string, err error) error {
	var all []error
	for _, p := range Problems(d.Text, err) {
		line := d.Line
		if p.Line > 0 {
			line = d.First + p.Line - 1
		}
		at := fmt.Sprintf("%s:%d", file, line)
		if p.Col > 0 {
			at += fmt.Sprintf(":%d", p.Col)
		}
		all = append(all, fmt.Errorf("%s: %s; %s", at, p.What, p.Hint))
	}
	return errors.Join(all...)
}
