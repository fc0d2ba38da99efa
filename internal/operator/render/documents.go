// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// document is one YAML document of what a file gave, and the line where it begins.
type document struct {
	text []byte
	line int
}

// documents splits what a file gave. The markers are looked for, not parsed: at the beginning of a line they are nothing else.
func documents(text []byte) []document {
	docs := []document{{line: 1}}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n")) {
			docs = append(docs, document{line: n})
			line = append([]byte("   "), rest...) // what follows the marker is part of it; columns stay
		}
		last := &docs[len(docs)-1]
		last.text = append(last.text, line...)
	}
	return docs
}

// unknownAnchor is an error that has no line.
var unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

// decode reads a document; nil if there is nothing in it. The error shows the line that is wrong, as it was rendered: it is not on disk.
func (d document) decode(file string) (value any, err error) {
	if err := unmarshalYAML(d.text, &value); err != nil {
		p := yamldoc.Problems(d.text, err)[0]
		at := max(p.Line, 1)
		if m := unknownAnchor.FindStringSubmatch(p.What); m != nil {
			at += bytes.Count(d.text[:max(0, bytes.Index(d.text, []byte("*"+m[1])))], []byte("\n"))
		}
		return nil, fmt.Errorf("%s: line %d of the output is not YAML: %s: %s; fix the template", file, d.line+at-1, p.What, d.show(at-1))
	}
	return value, nil
}

// show is a line of the document, in quotes.
func (d document) show(n int) string {
	lines := bytes.Split(d.text, []byte("\n"))
	if n < 0 || n >= len(lines) {
		return `""`
	}
	return fmt.Sprintf("%q", lines[n][:min(len(lines[n]), 200)])
}

// first is the first line with something in it.
func (d document) first() (string, int) {
	for i, line := range strings.Split(string(d.text), "\n") {
		if t := strings.TrimSpace(line); t != "" && !strings.HasPrefix(t, "#") {
			return d.show(i), d.line + i
		}
	}
	return d.show(0), d.line
}

func unmarshalYAML(text []byte, into any) error {
	j, err := yaml.YAMLToJSONStrict(text) // strict: a key that is there twice is a mistake
	if err != nil {
		return err
	}
	return unmarshalJSON(j, into)
}
