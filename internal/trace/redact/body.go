// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/crdctl/crdctl/internal/trace"
)

// Body redacts what records hold of objects of any kind: the questions and answers of hooks, patches of webhooks, and
// attributes of log lines. Bodies of requests and versions are redacted before, by Object, because only those who make
// them know their resource. It changes b, but nothing that b refers to.
func (r *Redactor) Body(b trace.Body) {
	switch b := b.(type) {
	case *trace.Hook:
		b.Question, b.Answer = r.json(b.Question), r.json(b.Answer)
	case *trace.Admission:
		b.Patch = r.json(b.Patch)
	case *trace.Log:
		b.Attrs = r.attributes(b.Attrs)
	}
}

// attributes returns m without what is secret in its objects. It changes no map: the line's reader has them, too.
func (r *Redactor) attributes(m map[string]any) map[string]any {
	var redacted map[string]any
	for name, v := range m {
		switch v.(type) {
		case map[string]any, []any:
			if redacted == nil {
				redacted = maps.Clone(m)
			}
			if text, err := json.Marshal(v); err != nil {
				redacted[name] = r.hidden(v)
			} else {
				redacted[name] = r.json(text)
			}
		}
	}
	if redacted == nil {
		return m
	}
	return redacted
}

// json redacts encoded JSON. What cannot be decoded is redacted as a whole.
func (r *Redactor) json(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return text
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // large numbers stay as they are
	var v any
	if err := d.Decode(&v); err != nil {
		v = r.value(text)
	} else {
		v = r.Object(Target{}, v)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return json.RawMessage(`"redacted"`)
	}
	return bytes.TrimSpace(out.Bytes())
}
