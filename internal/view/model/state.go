// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
)

// state is an object before its first version that is held: its changes in order, and the whole object if it was
// recorded.
type state struct {
	full    json.RawMessage
	changes map[string]json.RawMessage // the last value of each path that changed; nil if it was removed
	order   []string
}

// fold takes in a version that is forgotten.
func (s *state) fold(v *Version) {
	if v.Full != nil {
		s.full, s.changes, s.order = v.Full, nil, nil
	}
	for _, c := range v.Changes {
		if c.Old != nil || c.New != nil {
			s.set(c)
		}
	}
}

// set keeps the last change of each path only. A change of a whole field replaces those below it.
func (s *state) set(c trace.Change) {
	if s.changes == nil {
		s.changes = map[string]json.RawMessage{}
	}
	if _, ok := s.changes[c.Path]; ok {
		for i, p := range s.order {
			if p == c.Path {
				s.order = append(s.order[:i], s.order[i+1:]...)
				break
			}
		}
	}
	s.changes[c.Path] = c.New
	s.order = append(s.order, c.Path)
}

// State returns the object at a version, as encoding/json decodes it. Of an object whose first version was not recorded
// as a whole it has what changed only, and whole is false.
func (o *Object) State(rv uint64) (object map[string]any, whole bool) {
	object, whole = map[string]any{}, o.base.full != nil
	if whole && json.Unmarshal(o.base.full, &object) != nil {
		object, whole = map[string]any{}, false
	}
	n, exact := o.find(rv)
	if exact {
		n++
	}
	first := 0
	for i, v := range slices.Backward(o.Versions[:n]) {
		if v.Full != nil {
			object, first = map[string]any{}, i
			whole = json.Unmarshal(v.Full, &object) == nil
			break
		}
	}
	if first == 0 && (n == 0 || o.Versions[0].Full == nil) {
		for _, path := range o.base.order {
			apply(object, path, o.base.changes[path])
		}
	}
	for _, c := range slices.Backward(newest(o.Versions[first:n])) {
		apply(object, c.Path, c.New)
	}
	return object, whole
}

// newest returns the newest change of each path, the newest first. The values of an object that changes all the time are
// many.
func newest(versions []*Version) (all []trace.Change) {
	seen := map[string]bool{}
	for _, v := range slices.Backward(versions) {
		for _, c := range slices.Backward(v.Changes) {
			if (c.Old != nil || c.New != nil) && !seen[c.Path] { // else its values are not recorded
				seen[c.Path] = true
				all = append(all, c)
			}
		}
	}
	return all
}

// Values yields the versions from a resource version on that changed a field or something below or above it, each with
// the value of that field, as encoding/json decodes it.
func (o *Object) Values(path string, from uint64) iter.Seq2[*Version, any] {
	return func(yield func(*Version, any) bool) {
		var object map[string]any
		for _, v := range o.Versions {
			if v.RV < from || v.Full == nil && !slices.ContainsFunc(v.Changes, func(c trace.Change) bool { return touches(c.Path, path) }) {
				continue
			}
			if object == nil || v.Full != nil {
				object, _ = o.State(v.RV)
			} else {
				for _, c := range v.Changes {
					if touches(c.Path, path) && (c.Old != nil || c.New != nil) {
						apply(object, c.Path, c.New)
					}
				}
			}
			var at any = object
			for _, step := range split(path) {
				fields, _ := at.(map[string]any)
				at = fields[step]
			}
			if !yield(v, at) {
				return
			}
		}
	}
}

// touches reports whether a change of one path changes what is at another.
func touches(change, path string) bool {
	return change == path || below(change, path) || below(path, change)
}

// apply sets or, with nil, removes a field. A path that does not fit the object is ignored: it is of a field whose
// container is not known.
func apply(object map[string]any, path string, raw json.RawMessage) {
	var value any
	if raw != nil && json.Unmarshal(raw, &value) != nil {
		return
	}
	var at any = object
	steps := split(path)
	for i, step := range steps {
		last := i == len(steps)-1
		if fields, ok := at.(map[string]any); ok {
			switch {
			case last && raw == nil:
				delete(fields, step)
			case last:
				fields[step] = value
			case fields[step] == nil:
				fields[step] = map[string]any{}
				at = fields[step]
			default:
				at = fields[step]
			}
			continue
		}
		elements, ok := at.([]any)
		n, err := strconv.Atoi(step)
		if !ok || err != nil || n < 0 || n >= len(elements) {
			return
		}
		if last {
			elements[n] = value
		}
		at = elements[n]
	}
}

// split returns the steps of a path such as spec.containers[0].env or metadata.annotations["a.b/c"].
func split(path string) (steps []string) {
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil {
				return append(steps, path)
			}
			step, _ := strconv.Unquote(quoted) // it was found to be quoted
			steps = append(steps, step)
			path = strings.TrimPrefix(path[1+len(quoted):], "]")
		case path[0] == '[':
			index, rest, _ := strings.Cut(path[1:], "]")
			steps, path = append(steps, index), rest
		default:
			i := strings.IndexAny(path, ".[")
			if i < 0 {
				i = len(path)
			}
			steps, path = append(steps, path[:i]), path[i:]
		}
	}
	return steps
}
