// SPDX-License-Identifier: Apache-2.0

// Package yamlpath finds the place of a value in a YAML document.
package yamlpath

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Child returns the value of a key of a map, or of an index of a list, and the node that names it: the key, or the item. Both are nil if
// there is none.
func Child(node *yaml.Node, name string) (value, key *yaml.Node) {
	if node == nil {
		return nil, nil
	}
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == name {
				return node.Content[i+1], node.Content[i]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(node.Content) {
			return node.Content[i], node.Content[i]
		}
	}
	return nil, nil
}

// Follow returns the node that names the last part of a path that is there, the path being as in the errors of the API server:
// spec.ports[0].name. It is the node itself if nothing of the path is there.
func Follow(node *yaml.Node, path string) *yaml.Node {
	name := node
	for path = strings.TrimPrefix(path, "."); path != ""; {
		next, key, rest := step(node, path)
		if next == nil {
			break
		}
		node, name, path = next, key, rest
	}
	return name
}

// Value returns the value at a path; nil if there is none.
func Value(node *yaml.Node, path string) *yaml.Node {
	for path = strings.TrimPrefix(path, "."); path != "" && node != nil; {
		node, _, path = step(node, path)
	}
	return node
}

// step follows the first part of a path. Keys may have dots in them: the longest that fits is taken.
func step(node *yaml.Node, path string) (value, key *yaml.Node, rest string) {
	if index, ok := strings.CutPrefix(path, "["); ok {
		index, after, _ := strings.Cut(index, "]")
		value, key = Child(node, strings.Trim(index, `"`))
		return value, key, strings.TrimPrefix(after, ".")
	}
	if node.Kind != yaml.MappingNode {
		return nil, nil, ""
	}
	best := ""
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i].Value
		after, ok := strings.CutPrefix(path, name)
		if ok && (after == "" || after[0] == '.' || after[0] == '[') && len(name) > len(best) {
			best, value, key, rest = name, node.Content[i+1], node.Content[i], strings.TrimPrefix(after, ".")
		}
	}
	return value, key, rest
}
