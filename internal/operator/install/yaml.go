// SPDX-License-Identifier: Apache-2.0

package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/tree"
)

// header is the first line of files that the command wrote, and may write again.
const header = "# Written by crdctl manifests, which overwrites changes made here.\n"

// YAML are the objects of a file, as documents.
func (f File) YAML() ([]byte, error) {
	var all bytes.Buffer
	for i, object := range f.Objects {
		doc, err := document(object)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", f.Name, err)
		}
		if i > 0 {
			all.WriteString("---\n")
		}
		all.Write(doc)
	}
	return all.Bytes(), nil
}

// Stream is all that there is, as one stream of documents.
func (s *Set) Stream() ([]byte, error) {
	var all [][]byte
	for _, f := range s.Files {
		docs, err := f.YAML()
		if err != nil {
			return nil, err
		}
		all = append(all, docs)
	}
	return bytes.Join(all, []byte("---\n")), nil
}

// Tree has one file for each concern. Their numbers are the order in which kubectl applies the files of a directory: by name.
// Other people's files of these names are in the way, unless force has them go.
func (s *Set) Tree(force bool) (*tree.Tree, error) {
	t := tree.New()
	for _, f := range s.Files {
		docs, err := f.YAML()
		if err != nil {
			return nil, err
		}
		if err := t.Add(f.Name, append([]byte(header), docs...)); err != nil {
			return nil, err
		}
	}
	t.Own(tree.Area{
		Dir: ".", Tool: "crdctl manifests", Match: isOurs,
		Owns:     func(_ string, data []byte) bool { return bytes.HasPrefix(data, []byte(header)) },
		Replaces: func(string, []byte) bool { return force },
		Act:      func([]byte) string { return "choose another directory with --output, or overwrite with --force" },
	})
	return t, nil
}

// isOurs reports whether a file has a name that New may give.
func isOurs(path string) bool { return path == crdsFile || slices.Contains(otherFiles, path) }

// document is an object as a manifest has it: without the status, which only a server fills in, and which Go's types write all
// the same. (The time of creation they leave out.)
func document(object any) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // a bound in a CRD may be larger than a float64 can tell
	if err := dec.Decode(&fields); err != nil {
		return nil, err
	}
	delete(fields, "status")
	if spec, ok := fields["spec"].(map[string]any); ok && len(spec) == 0 {
		delete(fields, "spec")
	}
	return yaml.Marshal(fields)
}
