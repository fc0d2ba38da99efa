// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/text/yamlpath"
)

var (
	// bracketed is a value as documentation writes what the reader has to put in: <name>, [NAME] or _name_.
	bracketed = lazyregexp.New(`^(<[^<>]+>|\[[A-Z][A-Z0-9_ -]*\]|_[a-z][a-z0-9_]*_)$`)
	capitals  = lazyregexp.New(`^[A-Z][A-Z0-9]*([_-][A-Z0-9]+)*$`)
	// asking is a comment after an empty value, such as "# fill me".
	asking = lazyregexp.New(`(?i)\b(fill|replace|your)\b`)
	words  = lazyregexp.New(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)
)

// toFill reports whether the value that an error is about is for the reader to put in. Words in capitals, such as SECRET_NAME, or NAME for a
// name, may be meant where there is a choice of values, and YAML reads [NAME] as a list. A part in braces is a template's.
func (o object) toFill(e *field.Error) bool {
	path := e.Field
	if path == "metadata" {
		path += ".name" // the API server does not name the field that is [NAME]
	}
	v := yamlpath.Value(o.node, path)
	switch {
	case v == nil:
		return false
	case v.Kind == yaml.SequenceNode:
		return v.Style&yaml.FlowStyle != 0 && len(v.Content) == 1 && capitals.MatchString(v.Content[0].Value)
	}
	if v.Value == "" && asking.MatchString(v.LineComment) {
		return true
	}
	named := v.Value == strings.ToUpper(e.Field[strings.LastIndexByte(e.Field, '.')+1:])
	return v.Kind == yaml.ScalarNode && (bracketed.MatchString(v.Value) || strings.Contains(v.Value, "{{") || e.Type != field.ErrorTypeNotSupported && (named || words.MatchString(v.Value)))
}
