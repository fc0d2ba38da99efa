// SPDX-License-Identifier: Apache-2.0

// Package yamldoc splits YAML files into documents, and says on which line of a file a decoder's error is.
//
// It decodes nothing itself, and does not know what documents are about.
package yamldoc

import (
	"bufio"
	"bytes"
	"encoding/json"
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

// Split returns the documents of a file, those without content too. JSON values that follow each other are documents as well. With an error it returns
// those before it.
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
		for _, text := range values(text) {
			all = append(all, Document{Text: text, First: line, Line: line + before(text)})
			line += bytes.Count(text, []byte("\n"))
		}
		line++ // the separator
	}
}

// values splits a text where a JSON object ends and something follows.
func values(text []byte) (all [][]byte) {
	for bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(text))
		if d.Decode(&json.RawMessage{}) != nil || len(bytes.TrimSpace(text[d.InputOffset():])) == 0 {
			break
		}
		all, text = append(all, text[:d.InputOffset()]), text[d.InputOffset():]
	}
	return append(all, text)
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
