// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
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

// read adds the objects of a text that begins at a place of the file. Templates are counted.
func (s *source) read(data []byte, line, column int, groups map[string]bool) {
	docs, err := yamldoc.Split(data)
	if err != nil {
		s.badSeparator(data, line, err)
	}
	for _, doc := range docs {
		if !mentions(doc.Text, groups) {
			continue
		}
		asJSON, err := kyaml.YAMLToJSON(doc.Text)
		if err != nil {
			s.unreadable(doc, line, groups, err)
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
			s.add(o, groups)
		}
		if len(s.objects) > known {
			s.duplicateKeys(doc, line, column)
		}
	}
}

// unreadable notes what is wrong with a document that is not YAML, unless it is a template.
func (s *source) unreadable(doc yamldoc.Document, line int, groups map[string]bool, err error) {
	switch {
	case template.Match(doc.Text):
		if ofGroup(doc.Text, groups) {
			s.templates++
		}
	case s.role == sample:
		for _, p := range yamldoc.Problems(doc.Text, err) {
			at := rule.Place{File: s.file, Line: line + doc.First + max(p.Line, 1) - 2}
			s.problems = append(s.problems, rule.New("sample-yaml", at, s.file, "%s", p.What))
		}
	}
}

// add keeps an object of one of the groups.
func (s *source) add(o object, groups map[string]bool) {
	switch {
	case !groups[o.GroupVersionKind().Group] || o.GetKind() == "":
	case o.withoutMetadata() || s.role != sample && nameOf(o) == "":
		s.parts = append(s.parts, o)
	case isTemplate(o.node):
		s.templates++
	default:
		s.objects = append(s.objects, o)
	}
}

// duplicateKeys notes the keys that a document has twice.
func (s *source) duplicateKeys(doc yamldoc.Document, line, column int) {
	_, err := kyaml.YAMLToJSONStrict(doc.Text)
	if err == nil {
		return
	}
	for _, p := range separate(yamldoc.Problems(doc.Text, err)) {
		at := rule.Place{File: s.file, Line: line + doc.First + max(p.Line, 1) - 2}
		if p.Col > 0 {
			at.Col = p.Col + column - 1
		}
		f := rule.New("sample-duplicate-key", at, s.file, "%s", p.What)
		if p.What == joinedObjects {
			f.Fix = "Write a line with --- before the object."
		}
		s.problems = append(s.problems, f)
	}
}

const joinedObjects = "another object begins here, and the line --- before it is missing"

// separate makes one problem of the keys of each object that follows another one without a line between them.
func separate(all []yamldoc.Problem) (some []yamldoc.Problem) {
	again := func(p yamldoc.Problem, keys ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return p.What == `key "`+key+`" already set in map` })
	}
	joined := slices.ContainsFunc(all, func(p yamldoc.Problem) bool { return p.Col == 1 && again(p, "apiVersion") }) &&
		slices.ContainsFunc(all, func(p yamldoc.Problem) bool { return p.Col == 1 && again(p, "kind") })
	for _, p := range all {
		if joined && p.Col == 1 && again(p, "apiVersion") {
			p.What = joinedObjects
		} else if joined && again(p, "kind", "metadata", "spec", "status") {
			continue
		}
		some = append(some, p)
	}
	return some
}

// ofGroup reports whether a line of a text that does not parse has the API version of an object of the groups.
func ofGroup(text []byte, groups map[string]bool) bool {
	for _, m := range apiVersion.FindAllSubmatch(text, -1) {
		if groups[string(m[1])] {
			return true
		}
	}
	return false
}

var apiVersion = lazyregexp.New(`(?m)^[ \t-]*apiVersion:[ \t]*["']?([^/\s"']+)/`)

// badSeparator notes a line that begins as a separator of documents does, and goes on.
func (s *source) badSeparator(data []byte, line int, err error) {
	for text := range bytes.Lines(data) {
		if rest := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("---"))); bytes.HasPrefix(text, []byte("---")) && len(rest) > 0 && strings.HasSuffix(err.Error(), string(rest)) {
			break
		}
		line++
	}
	switch {
	case template.MatchString(err.Error()):
		s.templates++
	case s.role == sample:
		s.problems = append(s.problems, rule.New("sample-yaml", rule.Place{File: s.file, Line: line}, s.file, "%v", err))
	}
}

var (
	// template is what templates replace, or envsubst.
	template = lazyregexp.New(`\{\{|\{%|\$\{?[A-Z_]{2,}`)
	// replaced is a value that begins with it, or with a variable of Chainsaw: what is there instead, only those know who replace it.
	replaced = lazyregexp.New(`^(\{\{|\{%|\$\{?[A-Z_]{2,}|\(\$\w)`)
)

// isTemplate reports whether a value below a node is one that is replaced.
func isTemplate(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && replaced.MatchString(n.Value) || slices.ContainsFunc(n.Content, isTemplate)
}

// items are the items of a list, or the object itself. In a list of one kind they may lack it.
func (o object) items() []object {
	list, ok := o.Object["items"].([]any)
	kind, isList := strings.CutSuffix(o.GetKind(), "List")
	if !ok || !isList {
		return []object{o}
	}
	node, _ := yamlpath.Child(o.node, "items")
	var all []object
	for i, item := range list {
		content, ok := item.(map[string]any)
		if ok && node != nil && i < len(node.Content) {
			if kind != "" && content["kind"] == nil {
				content["kind"], content["apiVersion"] = kind, o.GetAPIVersion()
			}
			all = append(all, object{unstructured.Unstructured{Object: content}, node.Content[i], o.line, o.column, nil})
		}
	}
	return all
}

// withoutMetadata reports whether an object has no metadata; that without a value, as programs write the time of creation, is none.
func (o object) withoutMetadata() bool {
	metadata, ok := o.Object["metadata"].(map[string]any)
	if _, named := metadata["name"]; !ok || named {
		return o.Object["metadata"] == nil
	}
	return !slices.ContainsFunc(slices.Collect(maps.Values(metadata)), func(value any) bool { return value != nil })
}

// at is the place of a field, as the API server's errors write its path; the place of the last part of the path that is there.
func (o object) at(file, path string) rule.Place {
	name := yamlpath.Follow(o.node, path)
	return rule.Place{File: file, Line: name.Line + o.line, Col: name.Column + o.column}
}

// isNull reports whether a field is there without a value, which the API server takes as missing.
func (o object) isNull(path string) bool {
	names := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	var value any = o.Object
	for _, name := range names {
		switch at := value.(type) {
		case map[string]any:
			below, ok := at[name]
			if !ok {
				return false
			}
			value = below
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return false
			}
			value = at[i]
		default:
			return false
		}
	}
	return value == nil && len(names) > 0
}
