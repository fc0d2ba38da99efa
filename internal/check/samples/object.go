// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"regexp"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
	"github.com/crdctl/crdctl/internal/text/yamlpath"
)

// object is an object of one of the project's groups, as a file has it.
type object struct {
	unstructured.Unstructured
	node         *yaml.Node
	line, column int    // what must be added to the lines and columns of node
	text         []byte // of the document that is the object; nil for an item of a list
}

// read adds the objects of a text that begins at a place of the file. Templates are left out.
func (s *source) read(data []byte, line, column int, groups map[string]bool) {
	docs, err := yamldoc.Split(data)
	if err != nil {
		return
	}
	for _, doc := range docs {
		if !mentions(doc.Text, groups) || template.Match(doc.Text) {
			continue
		}
		asJSON, err := kyaml.YAMLToJSON(doc.Text)
		if err != nil {
			if s.role == sample {
				for _, p := range yamldoc.Problems(doc.Text, err) {
					at := rule.Place{File: s.file, Line: line + doc.First + max(p.Line, 1) - 2}
					s.problems = append(s.problems, rule.New("sample-yaml", at, s.file, "%s", p.What))
				}
			}
			continue
		}
		var content map[string]any
		if json.Unmarshal(asJSON, &content) != nil {
			continue // a list of patches, for example
		}
		var root yaml.Node
		if yaml.Unmarshal(doc.Text, &root) != nil || len(root.Content) == 0 {
			continue
		}
		known := len(s.objects)
		first := object{unstructured.Unstructured{Object: content}, root.Content[0], line + doc.First - 2, column - 1, doc.Text}
		for _, o := range first.items() {
			group := o.GroupVersionKind().Group
			if groups[group] && o.GetKind() != "" && (s.role == sample || nameOf(o) != "") && o.Object["metadata"] != nil { // else it is a part of an object
				s.objects = append(s.objects, o)
			}
		}
		if len(s.objects) == known {
			continue
		}
		if _, err := kyaml.YAMLToJSONStrict(doc.Text); err != nil {
			for _, p := range yamldoc.Problems(doc.Text, err) {
				at := rule.Place{File: s.file, Line: line + doc.First + max(p.Line, 1) - 2}
				s.problems = append(s.problems, rule.New("sample-duplicate-key", at, s.file, "%s", p.What))
			}
		}
	}
}

// template is what templates replace, or envsubst: a variable at the beginning of a value.
var template = regexp.MustCompile(`\{\{|\{%|[:-][ \t]+["']?\$\{?[A-Z_]{2,}`)

// items are the items of a list, or the object itself.
func (o object) items() []object {
	list, ok := o.Object["items"].([]any)
	if !ok || o.GetKind() != "List" {
		return []object{o}
	}
	node, _ := yamlpath.Child(o.node, "items")
	var all []object
	for i, item := range list {
		content, ok := item.(map[string]any)
		if ok && node != nil && i < len(node.Content) {
			all = append(all, object{unstructured.Unstructured{Object: content}, node.Content[i], o.line, o.column, nil})
		}
	}
	return all
}

// at is the place of a field, as the API server's errors write its path; the place of the last part of the path that is there.
func (o object) at(file, path string) rule.Place {
	name := yamlpath.Follow(o.node, path)
	return rule.Place{File: file, Line: name.Line + o.line, Col: name.Column + o.column}
}
