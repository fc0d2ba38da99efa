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
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Line int // in the text, from 1; 0 where the decoder does not tell
	What string
}

var (
	atLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)
	// byParser are the errors that the decoder's parser finds. Their lines it counts from 0; those of its scanner, and of
	// values, from 1.
	byParser = []string{
		"did not find expected <stream-start>", "did not find expected <document start>", "did not find expected node content",
		"did not find expected '-' indicator", "did not find expected key", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
		"found undefined tag handle", "found incompatible YAML document", "found duplicate %YAML directive", "found duplicate %TAG directive",
	}
)

// Problems are what the error of sigs.k8s.io/yaml says of a text.
func Problems(text []byte, err error) []Problem {
	said := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	said = strings.TrimPrefix(said, "yaml: unmarshal errors:\n")
	last := bytes.Count(bytes.TrimRight(text, "\n\r\t "), []byte("\n")) + 1
	var all []Problem
	for line := range strings.Lines(said) {
		m := atLine.FindStringSubmatch(strings.TrimSpace(line))
		p := Problem{What: m[2]}
		p.Line, _ = strconv.Atoi(m[1]) // 0 for none
		if slices.Contains(byParser, p.What) {
			p.Line++
		}
		p.Line = min(p.Line, last) // what is missing at the end is missing on the last line
		all = append(all, p)
	}
	return all
}

// Error is the error of sigs.k8s.io/yaml about a document, as file:line: problem, one a line.
func (d Document) Error(file string, err error) error {
	var all []error
	for _, p := range Problems(d.Text, err) {
		line := d.Line
		if p.Line > 0 {
			line = d.First + p.Line - 1
		}
		all = append(all, fmt.Errorf("%s:%d: %s", file, line, p.What))
	}
	return errors.Join(all...)
}
