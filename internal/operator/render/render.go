// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"errors"
	"fmt"
)

// answer is what a hook would answer.
type answer struct {
	Status   json.RawMessage   `json:"status,omitempty"`
	Children []json.RawMessage `json:"children"`
}

// Sync renders the children and the status: the answer to the sync hook's question. The output is bounded to maxOutput bytes, and nothing
// else is: package renderhelper sees to that.
func (s *Set) Sync(request []byte, maxOutput int) ([]byte, error) {
	data, err := s.begin(request, maxOutput)
	if err != nil {
		return nil, err
	}
	a := answer{Children: []json.RawMessage{}}
	for _, name := range s.children {
		objects, err := s.objects(name, data)
		if err != nil {
			return nil, err
		}
		a.Children = append(a.Children, objects...)
	}
	if s.status != "" {
		statuses, err := s.objects(s.status, data)
		if err != nil {
			return nil, err
		}
		switch len(statuses) {
		case 0: // an empty status is one too; the file is there to give one
			a.Status = json.RawMessage(`{}`)
		case 1:
			a.Status = statuses[0]
		default:
			return nil, fmt.Errorf("%s: rendered %d documents; a parent has one status", s.status, len(statuses))
		}
	}
	return s.marshal(a)
}

// objects renders a file of objects.
func (s *Set) objects(name string, data any) ([]json.RawMessage, error) {
	text, err := s.render(name, data)
	if err != nil {
		return nil, inTemplate(err)
	}
	var all []json.RawMessage
	for _, d := range documents(text) {
		value, err := d.decode(name)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if _, ok := value.(map[string]any); !ok {
			line, at := d.first()
			return nil, fmt.Errorf("%s: line %d of the output does not begin an object: %s; each document must be a mapping", name, at, line)
		}
		b, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// Related renders the list of related resources: a YAML list of rules, or a mapping with relatedResources, as a hook answers. It is for
// sets that have a file for it.
func (s *Set) Related(request []byte, maxOutput int) ([]byte, error) {
	data, err := s.begin(request, maxOutput)
	if err != nil {
		return nil, err
	}
	text, err := s.render(s.customize, data)
	if err != nil {
		return nil, inTemplate(err)
	}
	rules := []any{}
	for _, d := range documents(text) {
		value, err := d.decode(s.customize)
		if err != nil {
			return nil, err
		}
		if m, ok := value.(map[string]any); ok {
			value = m["relatedResources"]
			if value == nil {
				return nil, errors.New(s.customize + ": the mapping has no relatedResources; add a list of rules")
			}
		}
		switch list := value.(type) {
		case nil:
		case []any:
			rules = append(rules, list...)
		default:
			return nil, errors.New(s.customize + ": not a list; render a list of rules, each with apiVersion and resource")
		}
	}
	return s.marshal(map[string]any{"relatedResources": rules})
}
