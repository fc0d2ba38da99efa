// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Scaffold is what a project was scaffolded from. With it, the files that init wrote can be rendered again: "create api" and
// "delete api" compare what the project was rendered to with what it would be, and "upgrade" what older templates made of
// it with what those of today make.
type Scaffold struct {
	// Templates is the revision of crdctl's templates.
	Templates int `yaml:"templates"`
	// APIs are the kinds, each in one version.
	APIs []ScaffoldedAPI `yaml:"apis"`
	// Without are files of the templates that the project does not have: others were in their place.
	Without []string `yaml:"without,omitempty"`
}

// ScaffoldedAPI is one kind in one version: the flags of "init" and "create api" that it came from.
type ScaffoldedAPI struct {
	Group      string   `yaml:"group"`
	Version    string   `yaml:"version"`
	Kind       string   `yaml:"kind"`
	Plural     string   `yaml:"plural"`
	Singular   string   `yaml:"singular"`
	ShortNames []string `yaml:"shortNames,omitempty,flow"`
	Categories []string `yaml:"categories,omitempty,flow"`
	// Scope is Namespaced or Cluster.
	Scope    string `yaml:"scope"`
	NoStatus bool   `yaml:"noStatus,omitempty"`
	// Fields and Owns are the values of --field and --owns.
	Fields []string `yaml:"fields,omitempty"`
	Owns   []string `yaml:"owns,omitempty"`
	// Imported tells that the types were made from a CRD; they are not rendered again.
	Imported bool `yaml:"imported,omitempty"`
	// Storage marks the version in which objects are stored. The default is the first one of a kind.
	Storage bool `yaml:"storage,omitempty"`
	// Conversion is webhook if the versions of this kind are converted by the controller's webhook.
	Conversion string `yaml:"conversion,omitempty"`
	// Defaulting and Validation report whether the controller has a webhook that sets defaults of objects, and one that validates them.
	Defaulting bool `yaml:"defaulting,omitempty"`
	Validation bool `yaml:"validation,omitempty"`

	// Names of files and directories, where the usual ones were taken: the group's directory, and files less their .go and .yaml.
	Folder    string `yaml:"folder,omitempty"`
	TypesFile string `yaml:"typesFile,omitempty"`
	Sample    string `yaml:"sample,omitempty"`
	// Controller is the name of the controller's file, less its .go. A version whose kind has its controller elsewhere has none.
	Controller string `yaml:"controller,omitempty"`
	// NoController leaves the controller out of what is made for a new kind; no controller is recorded then.
	NoController bool `yaml:"-"`
}

// scaffoldKey is the key of the section, and scaffoldComment what stands above it. Older ones ended in other words.
const (
	scaffoldKey     = "scaffold"
	scaffoldWriters = "# crdctl init, create, delete and upgrade write "
	scaffoldComment = scaffoldWriters + "the section below.\n"
)

// CutScaffold returns a project file without its section scaffold; all other bytes stay.
func CutScaffold(data []byte) ([]byte, error) {
	above, below, err := cutScaffold(data)
	return slices.Concat(above, below), err
}

// cutScaffold returns what is above and below the section. Without one, that is all and nothing.
func cutScaffold(data []byte) (above, below []byte, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, nil, yamlError(FileName, data, err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return data, nil, nil
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	keys := doc.Content[0].Content
	for i := 0; i < len(keys); i += 2 {
		if keys[i].Value != scaffoldKey {
			continue
		}
		if doc.Content[0].Style&yaml.FlowStyle != 0 {
			return nil, nil, fmt.Errorf("%s:%d: the section %s must be a block of its own; write the file without braces around all settings", FileName, keys[i].Line, scaffoldKey)
		}
		from, to := keys[i].Line-1, len(lines)
		if from > 0 && strings.HasPrefix(string(lines[from-1]), scaffoldWriters) {
			from--
		}
		if i+2 < len(keys) {
			to = keys[i+2].Line - 1
			if above := keys[i+2].HeadComment; above != "" {
				to -= 1 + strings.Count(above, "\n")
			}
		}
		for to > from+1 && len(bytes.TrimSpace(lines[to-1])) == 0 {
			to-- // empty lines are the user's
		}
		return bytes.Join(lines[:from], nil), bytes.Join(lines[to:], nil), nil
	}
	return data, nil, nil
}

// PutScaffold returns a project file with another section scaffold, or none for nil; all other bytes stay. A section that
// is there is replaced where it is, and a new one comes last. Its lines end as those of the file do.
func PutScaffold(data []byte, s *Scaffold) ([]byte, error) {
	above, below, err := cutScaffold(data)
	rest := slices.Concat(above, below)
	if err != nil || s == nil {
		return rest, err
	}
	ending := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		ending = "\r\n"
	}
	var section bytes.Buffer
	section.WriteString(scaffoldComment)
	enc := yaml.NewEncoder(&section)
	enc.SetIndent(2)
	if err := enc.Encode(map[string]*Scaffold{scaffoldKey: s}); err != nil {
		return nil, err
	}
	if len(above) > 0 && above[len(above)-1] != '\n' {
		above = slices.Concat(above, []byte(ending))
	}
	out := slices.Concat(above, bytes.ReplaceAll(section.Bytes(), []byte("\n"), []byte(ending)), below)
	// What stands above must mean what it meant.
	was, err := Parse(FileName, rest)
	if err != nil {
		return nil, err
	}
	is, err := Parse(FileName, out)
	if err != nil {
		return nil, err
	}
	is.Scaffold = nil
	if !reflect.DeepEqual(was, is) {
		return nil, fmt.Errorf("%s: the section %s cannot be written at its place; move it to the end of the file", FileName, scaffoldKey)
	}
	return out, nil
}
