package fields

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// entry is a key of an object or a map, with its value.
type entry struct {
	key   string
	value any
}

// entries are an object or a map, in the order in which it is written. Other values are string, int64, bool and []any.
type entries []entry

// MarshalJSON keeps the order.
func (e entries) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, kv := range e {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(asJSON(kv.key) + ":" + asJSON(kv.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// asJSON is a value in JSON, on one line.
func asJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it is for eyes, in a comment
	if err := enc.Encode(v); err != nil {
		return "null" // there are no values that can't be encoded
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// sorted gives decoded JSON the form in which values are written.
func sorted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := entries{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, entry{key, sorted(v[key])})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = sorted(v[i])
		}
		return out
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}
