// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// UndecodableError is a CRD that the API server refuses and that cannot be judged further: a field of the manifest has a value of another type, or
// the CRD has no group or no versions.
type UndecodableError struct {
	Name  string
	Place rule.Place // of the value, if it was found, or else of the CRD
	Err   error
	Fix   string // what to do about it; empty where it needs no more words
}

func (e *UndecodableError) Error() string {
	return fmt.Sprintf("%s: CustomResourceDefinition %s: %s", e.Place, e.Name, e.Err)
}

func (e *UndecodableError) Unwrap() error { return e.Err }

// wrongValue is what the decoder says of a value: the names on the way, without the keys of maps, and the type that it should have.
var wrongValue = regexp.MustCompile(`^json: cannot unmarshal \S+(?: \S+)? into Go struct field [^.]*\.(\S+) of type (\S+)`)

func (c *CRD) undecodable(err error) error {
	e := &UndecodableError{Name: c.Name, Place: rule.Place{File: c.File, Line: c.Line}, Err: err}
	if m := wrongValue.FindStringSubmatch(err.Error()); m != nil {
		if at := wrong(c.node(), strings.Split(m[1], "."), m[2]); at != nil {
			e.Place.Line, e.Place.Col = at.Line+c.first-1, at.Column
		}
		e.Err = fmt.Errorf("%s must be of type %s", m[1], strings.TrimLeft(m[2], "*"))
	}
	return e
}

// wrong is the first value at names, with any keys of maps between them, that is not of a type.
func wrong(n *yaml.Node, names []string, typ string) *yaml.Node {
	if n == nil || len(names) == 0 {
		if n != nil && !isA(n, typ) {
			return n
		}
		return nil
	}
	for i, below := range n.Content {
		rest := names
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue
			}
			if n.Content[i-1].Value == names[0] {
				rest = names[1:]
			}
		}
		if at := wrong(below, rest, typ); at != nil {
			return at
		}
	}
	return nil
}

// isA reports whether a value can be decoded into a Go type, as far as that is plain.
func isA(n *yaml.Node, typ string) bool {
	for prefix, tags := range map[string][]string{"bool": {"!!bool"}, "string": {"!!str"}, "int": {"!!int"}, "float": {"!!int", "!!float"}} {
		if strings.HasPrefix(strings.TrimLeft(typ, "*"), prefix) {
			ok := n.Kind == yaml.ScalarNode && slices.Contains(tags, n.ShortTag())
			if prefix == "int" && ok {
				_, err := strconv.ParseInt(n.Value, 0, 64)
				return err == nil
			}
			return ok
		}
	}
	return strings.HasPrefix(typ, "[]") == (n.Kind == yaml.SequenceNode) && n.Kind != yaml.ScalarNode
}

// undecodable are the CRDs of an error that cannot be judged; false if there is another problem.
func undecodable(err error) (all []*UndecodableError, only bool) {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		for _, one := range joined.Unwrap() {
			more, ok := undecodable(one)
			if !ok {
				return nil, false
			}
			all = append(all, more...)
		}
		return all, true
	}
	if e, ok := errors.AsType[*UndecodableError](err); ok {
		return []*UndecodableError{e}, true
	}
	return nil, false
}
