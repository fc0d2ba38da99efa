// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// YAMLFile is a YAML file of the project, perhaps a template.
type YAMLFile struct {
	Path string
	Data []byte

	docs []document
	read bool
}

// document is an object in a YAML file, by its top.
type document struct {
	file             *YAMLFile
	apiVersion, kind string
	text             []byte
	line             int // the first of text in the file
	at               rule.Place
	template         bool // whether the file has actions of templates
}

var (
	separator  = lazyregexp.New(`(?m)^---.*$`)
	apiVersion = lazyregexp.New(`(?m)^apiVersion:[ \t]*["']?([\w./-]+)["']?[ \t]*(?:#.*)?\r?$`)
	kind       = lazyregexp.New(`(?m)^kind:[ \t]*["']?(\w+)["']?[ \t]*(?:#.*)?\r?$`)
)

// Docs are the objects in the file.
func (f *YAMLFile) Docs() []document {
	if f.read {
		return f.docs
	}
	f.read = true
	if !bytes.Contains(f.Data, []byte("apiVersion")) {
		return nil
	}
	template := bytes.Contains(f.Data, []byte("{{"))
	start := 0
	for _, cut := range append(separator.FindAllIndex(f.Data, -1), []int{len(f.Data), len(f.Data)}) {
		text := f.Data[start:cut[0]]
		if v, k := apiVersion.FindSubmatchIndex(text), kind.FindSubmatch(text); v != nil && k != nil {
			f.docs = append(f.docs, document{
				file: f, apiVersion: string(text[v[2]:v[3]]), kind: string(k[1]), text: text, line: repo.LineOf(f.Data, start), template: template,
				at: rule.Place{File: f.Path, Line: repo.LineOf(f.Data, start+v[0]), Col: 1},
			})
		}
		start = cut[1]
	}
	return f.docs
}

// documents are the objects in all YAML files.
func (s *Source) documents() (all []document) {
	for _, f := range s.YAML {
		all = append(all, f.Docs()...)
	}
	return all
}

// unreadCRDs are the errors about CRDs that do not parse. A template need not.
func (f *YAMLFile) unreadCRDs() (all []error) {
	if !bytes.Contains(f.Data, []byte("CustomResourceDefinition")) {
		return nil
	}
	for _, d := range f.Docs() {
		if d.kind != "CustomResourceDefinition" || d.template {
			continue
		}
		if _, err := kyaml.YAMLToJSON(d.text); err != nil {
			all = append(all, fmt.Errorf("not determined: the CRD does not parse: %w", yamldoc.Document{Text: d.text, First: d.line, Line: d.at.Line}.Error(f.Path, err)))
		}
	}
	return all
}

// node parses the document; nil if it does not parse, as a template.
func (d document) node() *yaml.Node {
	var node yaml.Node
	if err := yaml.Unmarshal(d.text, &node); err != nil || len(node.Content) == 0 {
		return nil
	}
	return node.Content[0]
}

// place is that of a node of the document.
func (d document) place(n *yaml.Node) rule.Place {
	return rule.Place{File: d.file.Path, Line: d.line + n.Line - 1, Col: n.Column}
}

// child is the value of a key of a mapping; nil if there is none.
func child(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		var next *yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				next = n.Content[i+1]
			}
		}
		n = next
	}
	return n
}
