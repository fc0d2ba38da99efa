// SPDX-License-Identifier: Apache-2.0

// Package document reads the CustomResourceDefinitions of a file: YAML or JSON, several documents, lists, and the removed form
// v1beta1, each checked as the API server would.
//
// It makes nothing of them.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// The limits are far above what is real, and far below what takes long: an API server takes objects of 3 MiB, and the
// largest bundles of CRDs have a dozen. YAML's aliases are what makes little text large: the decoder behind sigs.k8s.io/yaml
// bounds them by itself, and what comes out of it is measured too.
const (
	// MaxFile is the size of the largest file that is read.
	MaxFile     = 32 << 20
	maxDocument = 4 << 20
	maxDepth    = 1000 // of YAML or JSON, before anything walks it
)

// Document is one object of a file, as JSON.
type Document struct {
	file       string
	line       int // where it begins
	json       []byte
	apiVersion string
	kind, name string
}

// Place returns where the object begins, as file:line.
func (doc Document) Place() string { return fmt.Sprintf("%s:%d", doc.file, doc.line) }

// Name returns the name of the object, or what it has instead.
func (doc Document) Name() string {
	if doc.name == "" {
		return "without metadata.name"
	}
	return doc.name
}

// IsCRD reports whether the object is a CustomResourceDefinition of any version.
func (doc Document) IsCRD() bool { return doc.kind == "CustomResourceDefinition" }

// String is the object with its place.
func (doc Document) String() string {
	if doc.kind == "" {
		return doc.Place() + ": an object without a kind"
	}
	return strings.TrimSuffix(fmt.Sprintf("%s: %s %s", doc.Place(), doc.kind, doc.name), " ")
}

// Split splits a file into objects; the items of lists are objects of their own.
func Split(name string, content []byte) ([]Document, error) {
	if len(content) > MaxFile {
		return nil, fmt.Errorf("%s: has %d bytes; the maximum is %d; use a smaller file", name, len(content), MaxFile)
	}
	var all []Document
	var problems []error
	split, err := texts(content)
	if err != nil {
		problems = append(problems, fmt.Errorf("%s: %w", name, err))
	}
	for _, text := range split {
		docs, err := parse(name, text)
		problems = append(problems, err)
		all = append(all, docs...)
	}
	return all, errors.Join(problems...)
}

// texts returns the documents of a file: JSON values one after the other, or YAML between separators.
func texts(content []byte) (all []yamldoc.Document, err error) {
	for dec := json.NewDecoder(bytes.NewReader(content)); ; {
		var v json.RawMessage
		if err := dec.Decode(&v); errors.Is(err, io.EOF) && len(all) > 0 {
			return all, nil
		} else if err != nil {
			return yamldoc.Split(content)
		}
		line := 1 + bytes.Count(content[:dec.InputOffset()-int64(len(v))], []byte("\n"))
		all = append(all, yamldoc.Document{Text: v, First: line, Line: line})
	}
}

// parse returns the objects of one document; none for one without content.
func parse(name string, doc yamldoc.Document) ([]Document, error) {
	if len(doc.Text) > maxDocument {
		return nil, fmt.Errorf("%s:%d: has %d bytes; the maximum for an object is %d", name, doc.Line, len(doc.Text), maxDocument)
	}
	asJSON, err := yaml.YAMLToJSONStrict(doc.Text)
	if err != nil {
		return nil, doc.Error(name, err)
	}
	docs, err := objects(name, doc.Line, asJSON)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, doc.Line, err)
	}
	return docs, nil
}

// objects are those that JSON has: one, the items of a list, or none.
func objects(name string, line int, asJSON []byte) ([]Document, error) {
	if len(asJSON) > 2*maxDocument || tooDeep(asJSON) {
		return nil, errors.New("is larger than an object can be, because of aliases or depth; write it without aliases")
	}
	if s := string(bytes.TrimSpace(asJSON)); s == "null" || s == "{}" {
		return nil, nil
	}
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(asJSON, &head); err != nil {
		return nil, errors.New("is not a Kubernetes object; it must have apiVersion, kind and metadata")
	}
	if strings.HasSuffix(head.Kind, "List") && head.Items != nil {
		var all []Document
		for _, item := range head.Items {
			docs, err := objects(name, line, item)
			if err != nil {
				return nil, err
			}
			all = append(all, docs...)
		}
		return all, nil
	}
	return []Document{{file: name, line: line, json: asJSON, apiVersion: head.APIVersion, kind: head.Kind, name: head.Metadata.Name}}, nil
}

// tooDeep reports whether JSON is nested deeper than anything here should walk.
func tooDeep(asJSON []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(asJSON); i++ {
		switch c := asJSON[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
