// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
	"github.com/crdctl/crdctl/internal/text/yamlpath"
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
	item    bool   // whether the document is a list, and the CRD is in it
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

// Parse reads the CRDs of a manifest, YAML or JSON, also those in lists. Other objects are skipped, as are patches: CRDs that lack two of
// a group, a kind and versions. File is what places call it. The error has the place.
func Parse(file string, data []byte) ([]*CRD, error) { return parseFile(file, data, nil, nil) }

// Parse is the function Parse. A CRD whose document is one of the project's, at the same line, shares what was parsed of it.
func (p *Project) Parse(file string, data []byte) ([]*CRD, error) {
	p.once.Do(func() {
		p.known = map[string]*CRD{}
		for _, crd := range p.CRDs {
			if !crd.item {
				p.known[string(crd.text)] = crd
			}
		}
	})
	return parseFile(file, data, p.known, nil)
}

// parseFile is Parse. patch is told of patches, if it is not nil.
func parseFile(file string, data []byte, known map[string]*CRD, patch func(*CRD)) ([]*CRD, error) {
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
		crds, err := parse(file, doc, patch)
		problems = append(problems, err)
		all = append(all, crds...)
	}
	return all, errors.Join(problems...)
}

func parse(file string, doc yamldoc.Document, patch func(*CRD)) ([]*CRD, error) {
	asJSON, err := kyaml.YAMLToJSONStrict(doc.Text)
	twice := err // a key that is there twice, perhaps
	if err != nil {
		asJSON, err = kyaml.YAMLToJSON(doc.Text)
	}
	if err != nil {
		return nil, doc.Error(file, err)
	}
	crd := &CRD{File: file, Line: doc.Line, text: doc.Text, first: doc.First}
	crd.node = sync.OnceValue(crd.parseNodes)
	if twice != nil {
		for _, p := range yamldoc.Problems(doc.Text, twice) {
			crd.Strict = append(crd.Strict, Problem{Line: max(doc.Line, doc.First+p.Line-1), Col: p.Col, What: p.What})
		}
	}
	if bytes.Contains(asJSON, []byte(`"kind":"List"`)) || bytes.Contains(asJSON, []byte(`"kind":"CustomResourceDefinitionList"`)) {
		var list struct {
			Kind  string
			Items []json.RawMessage
		}
		if json.Unmarshal(asJSON, &list) == nil && (list.Kind == "List" || list.Kind == "CustomResourceDefinitionList") {
			return crd.items(list.Items)
		}
	}
	ok, err := crd.decode(asJSON)
	if !ok {
		if patch != nil && err == nil && crd.Kind == "CustomResourceDefinition" {
			patch(crd)
		}
		return nil, err
	}
	return []*CRD{crd}, nil
}

// items are the CRDs of a list that was read as if it was a CRD.
func (c *CRD) items(list []json.RawMessage) (all []*CRD, err error) {
	var problems []error
	nodes, _ := yamlpath.Child(c.node(), "items")
	for i, asJSON := range list {
		node, _ := yamlpath.Child(nodes, strconv.Itoa(i))
		if node == nil {
			continue // written in a way that has no place
		}
		crd := &CRD{File: c.File, Line: c.first + node.Line - 1, Strict: c.Strict, text: c.text, first: c.first, item: true, node: func() *yaml.Node { return node }}
		ok, err := crd.decode(asJSON)
		problems = append(problems, err)
		if ok {
			c.Strict = nil // keys that are there twice are those of the document, and reported once
			all = append(all, crd)
		}
	}
	return all, errors.Join(problems...)
}

// decode reads the CRD, and reports whether it is one, and no patch.
func (c *CRD) decode(asJSON []byte) (bool, error) {
	c.CustomResourceDefinition, c.Size, c.types = &apiextv1.CustomResourceDefinition{}, len(asJSON), map[string]*gofield.Package{}
	unknown, err := kjson.UnmarshalStrict(asJSON, c.CustomResourceDefinition)
	head := c.TypeMeta
	if err != nil { // it may have stopped before them
		head = metav1.TypeMeta{}
		if kjson.UnmarshalCaseSensitivePreserveInts(asJSON, &head) != nil {
			return false, nil // without a kind it is not a CRD
		}
	}
	if head.Kind != "CustomResourceDefinition" {
		return false, nil
	}
	v1 := head.APIVersion == apiextv1.SchemeGroupVersion.String()
	if err != nil && v1 {
		return false, c.undecodable(err)
	}
	twice := c.Strict
	c.Strict = nil
	for _, err := range unknown {
		p := Problem{What: err.Error()}
		if named := new(kjson.FieldError); errors.As(err, named) {
			p.Path = (*named).FieldPath()
		}
		c.Strict = append(c.Strict, p)
	}
	c.Strict = append(c.Strict, twice...)
	hasGroup, hasKind, hasVersions := c.Spec.Group != "", c.Spec.Names.Kind != "", len(c.Spec.Versions) > 0 || !v1
	if hasGroup && hasKind && hasVersions {
		return true, nil
	}
	spec, _ := yamlpath.Child(c.node(), "spec")
	switch {
	case !v1:
		return false, nil
	case spec != nil && spec.ShortTag() == "!!null":
		return false, c.incomplete("spec")
	case hasKind && hasVersions:
		return false, c.incomplete("spec.group")
	case hasKind && hasGroup:
		return false, c.incomplete("spec.versions")
	case hasGroup && hasVersions && c.Spec.Scope != "": // of what a patch changes, the scope is no part
		return false, c.incomplete("spec.names.kind")
	}
	return false, nil
}

// incomplete is the error of a CRD that lacks a field.
func (c *CRD) incomplete(field string) error {
	return &UndecodableError{Name: c.Name, Place: c.InManifest(strings.Split(field, ".")...), Err: fmt.Errorf("%s is empty", field),
		Fix: "Set " + field + "; if the file is a patch, move it to another directory."}
}

// parseNodes parses the text once more, for the places.
func (c *CRD) parseNodes() *yaml.Node {
	var node yaml.Node
	if err := yaml.Unmarshal(c.text, &node); err != nil || len(node.Content) == 0 {
		return nil
	}
	return node.Content[0]
}

// Tests matches the files of tests. Words such as kindtest count as names of directories alone: files are called after kinds, such as LoadTest.
var Tests = regexp.MustCompile(`(?i)(^|[/._-])((tests?|test-?utils?|testdata|e2e|testing|\w*fixtures?|fake-?data)([/._-]|$)|(kind|int|integ|integration|smoke|load|system)tests?(/|$))`)

// OfTests reports whether only tests install the CRD: they have the manifest, and no generator writes to its directory.
func (c *CRD) OfTests() bool {
	return c.project != nil && Tests.MatchString(c.File) && !slices.Contains(c.project.Settings.CRDDirs(), path.Dir(c.File))
}

// Others are the other manifests of the project that have a CRD of this name, relative to its root.
func (c *CRD) Others() (files []string) {
	for _, m := range c.project.repo.CRDs {
		if m.Name == c.Name && m.Path != c.File {
			files = append(files, m.Path)
		}
	}
	return files
}

// InPackage reports whether Crossplane installs the CRD, as a part of a package: it completes the conversion webhook.
func (c *CRD) InPackage() bool {
	if c.project == nil {
		return false
	}
	_, err := os.Stat(filepath.Join(c.project.Root, filepath.FromSlash(path.Dir(path.Dir(c.File))), "crossplane.yaml"))
	return err == nil
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
