// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML is the project file that says the same as Project, with the witness of each setting in a comment.
func (f *Found) YAML() []byte {
	var doc yaml.Node
	if err := doc.Encode(&f.Settings); err != nil {
		panic(err) // a struct of strings
	}
	if f.Settings.Generators != nil && len(f.Settings.Generators) == 0 {
		// No generator is a setting; the encoder takes it for none.
		doc.Content = append(doc.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "generators"}, &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle})
	}
	f.comment(&doc, "")
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Written by \"crdctl adopt\". A comment says where a setting was found.\n")
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		panic(err) // into memory
	}
	return out.Bytes()
}

// comment puts the sources next to the settings.
func (f *Found) comment(n *yaml.Node, field string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			name := key.Value
			if field != "" {
				name = field + "." + name
			}
			if source := strings.Join(f.Sources[name], "\n"); source != "" {
				if value.Kind == yaml.ScalarNode {
					value.LineComment = source
				} else {
					key.HeadComment = source
				}
			}
			f.comment(value, name)
		}
	case yaml.SequenceNode:
		for i, value := range n.Content {
			name := fmt.Sprintf("%s[%d]", field, i)
			if source := strings.Join(f.Sources[name], "\n"); source != "" {
				value.HeadComment = source // of all that is in it
			}
			f.comment(value, name)
		}
		short := !slices.ContainsFunc(n.Content, func(v *yaml.Node) bool { return v.Kind != yaml.ScalarNode || len(v.Value) > 30 })
		if short && len(n.Content) <= 6 {
			n.Style = yaml.FlowStyle
		}
	}
}
