// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// CRD is a CustomResourceDefinition as a manifest has it.
type CRD struct {
	*apiextv1.CustomResourceDefinition
	File string // relative to the project's root, slash-separated
	Line int    // of its first content
	// Strict is what a strict decoder says of the manifest: fields that are unknown or there twice.
	Strict []Problem
	// Size is that of its JSON, in bytes.
	Size int

	project *Project
	text    []byte // of its document
	first   int    // the line that text begins on
	node    func() *yaml.Node
	types   map[string]*gofield.Package // by version
	mu      sync.Mutex
}

// Problem is something that a strict decoder does not take.
type Problem struct {
	Line int    // in the file; 0 where only Path is known
	Col  int    // 0 if it is not known
	Path string // of an unknown field, as in spec.versions[0].foo
	What string
}

// Parse reads the CRDs of a manifest, YAML or JSON. Other objects are skipped, as are patches: CRDs that lack a group or kind. File is what
// places call it. The error has the place.
func Parse(file string, data []byte) ([]*CRD, error) { return parseFile(file, data, nil) }

// Parse is the function Parse. A CRD whose document is one of the project's, at the same line, shares what was parsed of it.
func (p *Project) Parse(file string, data []byte) ([]*CRD, error) {
	known := map[string]*CRD{}
	for _, crd := range p.CRDs {
		known[string(crd.text)] = crd
	}
	return parseFile(file, data, known)
}

func parseFile(file string, data []byte, known map[string]*CRD) ([]*CRD, error) {
	docs, err := yamldoc.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []*CRD
	var problems []error
	for _, doc := range docs {
		if same := known[string(doc.Text)]; same != nil && same.first == doc.First {
			all = append(all, &CRD{
				CustomResourceDefinition: same.CustomResourceDefinition, File: file, Line: same.Line, Strict: same.Strict, Size: same.Size,
				text: same.text, first: same.first, node: same.node, types: map[string]*gofield.Package{},
			})
			continue
		}
		crd, err := parse(file, doc)
		if err != nil {
			problems = append(problems, err)
		} else if crd != nil {
			all = append(all, crd)
		}
	}
	return all, errors.Join(problems...)
}

func parse(file string, doc yamldoc.Document) (*CRD, error) {
	asJSON, err := kyaml.YAMLToJSONStrict(doc.Text)
	twice := err // a key that is there twice, perhaps
	if err != nil {
		asJSON, err = kyaml.YAMLToJSON(doc.Text)
	}
	if err != nil {
		return nil, doc.Error(file, err)
	}
	crd := &CRD{File: file, Line: doc.Line, Size: len(asJSON), text: doc.Text, first: doc.First, types: map[string]*gofield.Package{}}
	crd.node = sync.OnceValue(crd.parseNodes)
	crd.CustomResourceDefinition = &apiextv1.CustomResourceDefinition{}
	unknown, err := kjson.UnmarshalStrict(asJSON, crd.CustomResourceDefinition)
	head := crd.TypeMeta
	if err != nil { // it may have stopped before them
		head = metav1.TypeMeta{}
		if kjson.UnmarshalCaseSensitivePreserveInts(asJSON, &head) != nil {
			return nil, nil // what has no kind is no CRD
		}
	}
	if head.Kind != "CustomResourceDefinition" {
		return nil, nil
	}
	if err != nil && head.APIVersion == apiextv1.SchemeGroupVersion.String() {
		return nil, crd.undecodable(err)
	}
	for _, err := range unknown {
		p := Problem{What: err.Error()}
		if named := new(kjson.FieldError); errors.As(err, named) {
			p.Path = (*named).FieldPath()
		}
		crd.Strict = append(crd.Strict, p)
	}
	if twice != nil {
		for _, p := range yamldoc.Problems(doc.Text, twice) {
			crd.Strict = append(crd.Strict, Problem{Line: max(doc.Line, doc.First+p.Line-1), Col: p.Col, What: p.What})
		}
	}
	if crd.Spec.Group == "" || crd.Spec.Names.Kind == "" || len(crd.Spec.Versions) == 0 && crd.APIVersion == apiextv1.SchemeGroupVersion.String() {
		return nil, nil
	}
	return crd, nil
}

// parseNodes parses the text once more, for the places.
func (c *CRD) parseNodes() *yaml.Node {
	var node yaml.Node
	if err := yaml.Unmarshal(c.text, &node); err != nil || len(node.Content) == 0 {
		return nil
	}
	return node.Content[0]
}

// Version returns the version with a name, or nil.
func (c *CRD) Version(name string) *apiextv1.CustomResourceDefinitionVersion {
	i := slices.IndexFunc(c.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Spec.Versions[i]
}

// Subject names a version of the CRD, or a field in it, in findings: as in crontabs.stable.example.com/v1: spec.replicas.
func (c *CRD) Subject(version string, path ...string) string {
	subject := c.Name
	if version != "" {
		subject += "/" + version
	}
	if len(path) > 0 {
		subject += ": " + Dotted(path)
	}
	return subject
}

// Items and Values stand in a path for the items of a list and for the values of a map.
const (
	Items  = "[]"
	Values = "{}"
)

// Dotted is a path of JSON names as people write it: spec.ports[].name.
func Dotted(path []string) string {
	var b strings.Builder
	for _, name := range path {
		switch {
		case name == Items || name == Values:
			b.WriteString(name)
		case b.Len() > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}
