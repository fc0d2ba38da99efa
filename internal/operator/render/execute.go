// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	kjson "sigs.k8s.io/json"
)

// ErrOutput is the end of a rendering that gives more than its bound.
var ErrOutput = errors.New("the rendering exceeds the output limit")

// begin decodes a request, and bounds what is rendered for it.
func (s *Set) begin(request []byte, limit int) (data map[string]any, err error) {
	s.limit, s.left = limit, limit
	if err := unmarshalJSON(request, &data); err != nil {
		return nil, fmt.Errorf("the request is not a JSON object: %w", err)
	}
	return data, nil
}

// render renders one file.
func (s *Set) render(name string, data any) ([]byte, error) {
	out := &output{left: &s.left}
	err := s.root.ExecuteTemplate(out, name, data)
	return out.Bytes(), err
}

// include is Helm's: a template as text, for nindent and the like.
func (s *Set) include(name string, data any) (string, error) {
	text, err := s.render(name, data)
	return string(text), err
}

// marshal makes the answer, which can be larger than what was rendered: YAML has aliases.
func (s *Set) marshal(answer any) ([]byte, error) {
	b, err := json.Marshal(answer)
	if err == nil && len(b) > s.limit {
		return nil, ErrOutput
	}
	return b, err
}

// output takes what is rendered, up to the limit.
type output struct {
	bytes.Buffer
	left *int
}

func (o *output) Write(b []byte) (int, error) {
	if *o.left -= len(b); *o.left < 0 {
		return 0, ErrOutput
	}
	return o.Buffer.Write(b)
}

// unmarshalJSON has whole numbers as int64 and not as float64: a template prints and compares them as the numbers that they are.
func unmarshalJSON(b []byte, into any) error {
	return kjson.UnmarshalCaseSensitivePreserveInts(b, into)
}
