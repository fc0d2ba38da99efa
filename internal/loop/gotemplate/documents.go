package gotemplate

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
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

var lineInError = regexp.MustCompile(`line (\d+)`)

// decode reads a document; nil if there is nothing in it. The error shows the line that is wrong, as it was rendered: nobody has it on disk.
func (d document) decode(file string) (value any, err error) {
	if err := unmarshalYAML(d.text, &value); err != nil {
		text := strings.NewReplacer("error converting YAML to JSON: ", "", "yaml: ", "", "unmarshal errors:\n  ", "").Replace(err.Error())
		at := d.line
		if m := lineInError.FindStringSubmatchIndex(text); m != nil {
			n, _ := strconv.Atoi(text[m[2]:m[3]])
			at = d.line + n - 1
			text = strings.TrimPrefix(text[:m[0]]+text[m[1]:], ": ")
		}
		for at > d.line && d.show(at-d.line) == `""` { // it was noticed at the end
			at--
		}
		return nil, fmt.Errorf("%s: line %d of what it rendered is no YAML: %s: %s; mend the template", file, at, text, d.show(at-d.line))
	}
	return value, nil
}

// show is a line of the document, in quotes.
func (d document) show(n int) string {
	lines := bytes.Split(d.text, []byte("\n"))
	if n < 0 || n >= len(lines) {
		return `""`
	}
	line := lines[n]
	if len(line) > 200 {
		line = line[:200]
	}
	return fmt.Sprintf("%q", line)
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
