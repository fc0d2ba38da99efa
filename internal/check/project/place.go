// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/text/yamlpath"
)

// GoField is the Go field that a field of a version was made from, or the last one on the way that the project declares; false if the
// project has no Go type of the version. The path has JSON names, Items and Values.
func (c *CRD) GoField(version string, path []string) (gofield.Field, bool) {
	types := c.typesOf(version)
	if types == nil {
		return gofield.Field{}, false
	}
	return types.Field(c.Spec.Names.Kind, names(path))
}

// GoType is the named type that a field of a version has, behind pointers, lists and maps, with an empty name; or else the field, with the type of
// another module in Foreign, if it has one.
func (c *CRD) GoType(version string, path []string) (gofield.Field, bool) {
	types := c.typesOf(version)
	if types == nil {
		return gofield.Field{}, false
	}
	return types.TypeOf(c.Spec.Names.Kind, names(path))
}

// typesOf is the package with the Go type of a version; nil if the project has none.
func (c *CRD) typesOf(version string) *gofield.Package {
	if c.project == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	types, known := c.types[version]
	if !known {
		types = c.project.typesOf(c, version)
		c.types[version] = types
	}
	return types
}

// names are the JSON names of a path.
func names(path []string) []string {
	return slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == Items || name == Values })
}

// HasTypes reports whether the Go types of a version are in the project.
func (c *CRD) HasTypes(version string) bool {
	types := c.typesOf(version)
	return types != nil && types.Has(c.Spec.Names.Kind)
}

// AtField is the place of a field of a version, as At; where the path leads into a type of another module, that type is returned as foreign.
func (c *CRD) AtField(version string, path []string) (at rule.Place, foreign string) {
	if field, ok := c.GoField(version, path); ok {
		return c.project.place(field.Position), field.Foreign
	}
	return c.InManifest(c.keys(version, path)...), ""
}

// AtType is the place of the struct type that a field of a version has, and that declares the fields below it: in the Go types, or else in
// the manifest. Where that type is of another module, it is the place of the last field in the project, and the type is returned as foreign.
func (c *CRD) AtType(version string, path []string) (at rule.Place, foreign string) {
	if types := c.typesOf(version); types != nil {
		if field, ok := types.TypeOf(c.Spec.Names.Kind, names(path)); ok {
			return c.project.place(field.Position), field.Foreign
		}
	}
	return c.InManifest(c.keys(version, path)...), ""
}

// At is the place of a field of a version: in the Go types, or else in the manifest. Of the field's markers, the place is that of the first
// that has one of the words in it, in any case; the field itself without such a one. A path without names is the type, whose markers are
// those of the kind.
func (c *CRD) At(version string, path []string, words ...string) rule.Place {
	field, ok := c.GoField(version, path)
	if !ok {
		return c.InManifest(c.keys(version, path)...)
	}
	for _, word := range words {
		has := func(text string) (int, bool) {
			return 0, strings.Contains(strings.ToLower(text), strings.ToLower(word))
		}
		if at, ok := c.marker(field, has); ok {
			return at
		}
	}
	return c.project.place(field.Position)
}

// Marker is the place in the first of a field's markers that match accepts: that many bytes after the marker's plus sign.
func (c *CRD) Marker(version string, path []string, match func(text string) (offset int, ok bool)) (rule.Place, bool) {
	field, ok := c.GoField(version, path)
	if !ok {
		return rule.Place{}, false
	}
	return c.marker(field, match)
}

func (c *CRD) marker(field gofield.Field, match func(text string) (offset int, ok bool)) (rule.Place, bool) {
	for _, line := range field.Lines() {
		if !strings.HasPrefix(line.Text, "+") {
			continue
		}
		if offset, ok := match(line.Text); ok {
			line.Position.Column += offset
			return c.project.place(line.Position), true
		}
	}
	return rule.Place{}, false
}

// place is a position relative to the root.
func (p *Project) place(at token.Position) rule.Place {
	rel, err := filepath.Rel(p.Root, at.Filename)
	if err != nil {
		rel = at.Filename
	}
	return rule.Place{File: filepath.ToSlash(rel), Line: at.Line, Col: at.Column}
}

// keys are the keys of the manifest that lead to the schema of a field.
func (c *CRD) keys(version string, path []string) []string {
	for i, v := range c.Spec.Versions {
		if v.Name != version {
			continue
		}
		keys := []string{"spec", "versions", fmt.Sprint(i), "schema", "openAPIV3Schema"}
		for _, name := range path {
			switch name {
			case Items:
				keys = append(keys, "items")
			case Values:
				keys = append(keys, "additionalProperties")
			default:
				keys = append(keys, "properties", name)
			}
		}
		return keys
	}
	return []string{"spec", "versions"}
}

// InManifest is the place in the manifest to which keys lead, numbers being those of items; it ends at the last that is there.
func (c *CRD) InManifest(keys ...string) rule.Place {
	at := rule.Place{File: c.File, Line: c.Line}
	node := c.node()
	for _, key := range keys {
		next, name := yamlpath.Child(node, key)
		if next == nil {
			break
		}
		at.Line, at.Col = c.first+name.Line-1, name.Column
		node = next
	}
	return at
}

// InText is the place in the manifest of a byte of a text to which keys lead; false if another text is there, or it is written in a way that hides
// the place.
func (c *CRD) InText(text string, offset int, keys ...string) (rule.Place, bool) {
	node := c.node()
	for _, key := range keys {
		node, _ = yamlpath.Child(node, key)
	}
	if node == nil || node.Value != text {
		return rule.Place{}, false
	}
	line, column, ok := yamlpath.Position(c.text, node, offset)
	return rule.Place{File: c.File, Line: c.first + line - 1, Col: column}, ok
}
