// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// Sample is the spec of an object that the rules allow, in YAML, each line after so many spaces. It is empty where there are
// no fields. A value that the schema would refuse, because none was found, has a comment.
func (s *Set) Sample(indent int) string {
	if s.Empty() {
		return ""
	}
	node := s.spec.node(func(f *Field) any {
		schema := f.schema()
		return sample.Of(&schema, true)
	})
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := enc.Encode(node); err != nil {
		return "" // there are no nodes that cannot be encoded
	}
	space := strings.Repeat(" ", indent)
	return space + strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", "\n"+space) + "\n"
}

// node is an object with its fields in their order.
func (o *object) node(value func(*Field) any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range o.fields {
		v := value(f)
		if v == nil {
			continue
		}
		key := scalarNode(f.name)
		schema := f.schema()
		if err := sample.Validate(&schema, nil, v); err != nil {
			key.HeadComment = "Change this value: the schema does not allow it."
		}
		n.Content = append(n.Content, key, f.node(v))
	}
	return n
}

// node is a value in YAML: objects of this project in the order of their fields, others in that of their keys, and what has nothing
// in it that has something in it on one line.
func (f *Field) node(v any) *yaml.Node {
	switch v := v.(type) {
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range v {
			made := f.node(item)
			if made.Kind != yaml.ScalarNode {
				n.Style = 0
			}
			n.Content = append(n.Content, made)
		}
		return n
	case map[string]any:
		if f.object != nil && !f.typ.dict() {
			return f.object.node(func(child *Field) any { return v[child.name] })
		}
		n := &yaml.Node{Kind: yaml.MappingNode}
		inner := *f
		inner.typ.prefix = "" // the values of a map
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, scalarNode(key), inner.node(v[key]))
		}
		return n
	}
	return scalarNode(v)
}

// scalarNode is a string, a number or a bool: a string in double quotes where something else would be read without.
func scalarNode(v any) *yaml.Node {
	n := &yaml.Node{}
	_ = n.Encode(v) // these can be encoded
	if s, ok := v.(string); ok && (n.Style != 0 || strings.ContainsAny(s, "*{}[]&!|>%@`#'\"")) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// names are values of fields by type and name, so that a sample looks like an object that someone would write.
var names = map[family]map[string]any{
	word: {
		"cronSpec": "* * * * */5", "schedule": "*/5 * * * *", "image": "nginx:1.29", "ip": "127.0.0.1",
		"host": "example.com", "url": "https://example.com",
	},
	number:      {"port": 8080, "replicas": 2},
	quantity:    {"memory": "128Mi", "storage": "1Gi", "size": "1Gi", "cpu": "500m"},
	intOrString: {"port": 8080, "targetPort": 8080},
}

// usual are values of the types that a schema does not say enough about.
var usual = map[family]any{
	duration: "30s", instant: "2026-01-31T12:00:00Z", quantity: "1", intOrString: "25%", anything: map[string]any{"example": "value"},
}

// likely is a value of the type, without its list or map, that someone would write, or nil.
func (f *Field) likely() any {
	v, ok := names[f.typ.family][f.name]
	switch {
	case kubernetesObjects[f.typ.base] != "":
		_ = yaml.Unmarshal([]byte(kubernetesObjects[f.typ.base]), &v) // a test reads them
		return v
	case f.typ.alias != "" && (f.typ.family == foreign || f.typ.family == word):
		return needed(f.typ.goType, nil)
	case f.typ.base == "metav1.MicroTime":
		return "2026-01-31T12:00:00.000000Z"
	case f.typ.enum != nil:
		return nil
	case !ok:
		return usual[f.typ.family]
	}
	return v
}
