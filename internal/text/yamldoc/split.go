// SPDX-License-Identifier: Apache-2.0

// Package yamldoc splits YAML files into documents, and says on which line of a file a decoder's error is.
//
// It decodes nothing itself, and does not know what documents are about.
package yamldoc

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// Document is the text of one document of a file.
type Document struct {
	Text []byte
	// First is the line of the file on which Text begins, and Line that of its first content: separators, comments and
	// blank lines come before it.
	First, Line int
}

// Split returns the documents of a file, those without content too. With an error it returns those before it.
func Split(content []byte) ([]Document, error) {
	var all []Document
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for line := 1; ; {
		text, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, Document{Text: text, First: line, Line: line + before(text)})
		line += bytes.Count(text, []byte("\n")) + 1 // and the separator
	}
}

// before counts the lines before the first content; a text without any has none before it.
func before(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 0 && trimmed[0] != '#' && !bytes.Equal(trimmed, []byte("---")) {
			return n
		}
		n++
	}
	return 0
}
