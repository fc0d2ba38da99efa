// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// appender is a body that is encoded without reflection: of these there are most, and those who make them wait for the
// processor that encodes them. What is appended is what encoding/json makes, without the brace at the begin.
type appender interface {
	appendFields(object) object
}

// appenderOf returns the appender of a body; nil for one that has none, or holds what may be no JSON.
func appenderOf(b Body) appender {
	switch b := b.(type) {
	case *Request:
		if b.Body != nil {
			return nil
		}
	case *Version:
		if b.Full != nil {
			return nil
		}
	case *Log:
		for _, value := range b.Attrs {
			if _, ok := value.(string); !ok {
				return nil
			}
		}
	}
	by, _ := b.(appender)
	return by
}

// object is a JSON object that is not complete.
type object []byte

// next separates a field or an element from the one before.
func (o object) next() object {
	if n := len(o); n > 0 && o[n-1] != '{' && o[n-1] != '[' && o[n-1] != ',' {
		o = append(o, ',')
	}
	return o
}

func (o object) name(name string) object {
	o = append(o.next(), '"')
	o = append(o, name...)
	return append(o, '"', ':')
}

func (o object) text(name, value string) object { return appendText(o.name(name), value) }

func (o object) textIf(name, value string) object {
	if value == "" {
		return o
	}
	return o.text(name, value)
}

func (o object) number(name string, value int64) object {
	return strconv.AppendInt(o.name(name), value, 10)
}

func (o object) numberIf(name string, value int64) object {
	if value == 0 {
		return o
	}
	return o.number(name, value)
}

func (o object) trueIf(name string, value bool) object {
	if !value {
		return o
	}
	return append(o.name(name), "true"...)
}

func (o object) textsIf(name string, values []string) object {
	if len(values) == 0 {
		return o
	}
	o = append(o.name(name), '[')
	for _, value := range values {
		o = appendText(o.next(), value)
	}
	return append(o, ']')
}

func (o object) changesIf(name string, changes []Change) object {
	if len(changes) == 0 {
		return o
	}
	o = append(o.name(name), '[')
	for _, c := range changes {
		o = append(append(o.next(), '{').text("path", c.Path).encodedIf("old", c.Old).encodedIf("new", c.New), '}')
	}
	return append(o, ']')
}

// encodedIf appends a value that was encoded before.
func (o object) encodedIf(name string, value json.RawMessage) object {
	if len(value) == 0 {
		return o
	}
	o = o.name(name)
	for _, c := range value {
		if c <= ' ' || c > '~' || c == '<' || c == '>' || c == '&' {
			value, _ = json.Marshal(value) // compact, and without what HTML could misunderstand
			break
		}
	}
	return append(o, value...)
}

func (o object) rvIf(name string, value uint64) object {
	if value == 0 {
		return o
	}
	return o.rv(name, value)
}

func (o object) rv(name string, value uint64) object {
	return strconv.AppendUint(o.name(name), value, 10)
}

// appendText appends a string as encoding/json does, which escapes what HTML could misunderstand, too.
func appendText(b []byte, s string) []byte {
	before := len(b)
	b = append(b, '"')
	from := 0 // of what is not appended yet
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\': // as in JSON that a line quotes
			b = append(append(b, s[from:i]...), '\\')
			from = i
		case c < ' ' || c > '~' || c == '<' || c == '>' || c == '&':
			quoted, _ := json.Marshal(s) // a string can be encoded
			return append(b[:before], quoted...)
		}
	}
	return append(append(b, s[from:]...), '"')
}

func (r *Request) appendFields(o object) object {
	o = o.text("id", r.ID).number("actor", int64(r.Actor)).number("began", r.Began).text("verb", r.Verb).numberIf("resource", int64(r.Resource))
	o = o.textIf("sub", r.Subresource).textIf("ns", r.Namespace).textIf("name", r.Name).numberIf("obj", int64(r.Object)).textIf("path", r.Path)
	o = o.textIf("selector", r.Selector).number("code", int64(r.Code)).textIf("reason", r.Reason).textIf("message", r.Message)
	o = o.rvIf("rvIn", r.RVIn).rvIf("rvOut", r.RVOut).trueIf("noop", r.NoOp).textIf("fieldManager", r.FieldManager).trueIf("force", r.Force)
	o = o.trueIf("dryRun", r.DryRun).textIf("decision", r.Decision).textIf("because", r.Because).textsIf("warnings", r.Warnings)
	if len(r.Layers) > 0 {
		o = append(o.name("layers"), '{')
		names := slices.AppendSeq(make([]string, 0, 8), maps.Keys(r.Layers))
		slices.Sort(names)
		for _, layer := range names {
			o = strconv.AppendInt(append(appendText(o.next(), layer), ':'), r.Layers[layer], 10)
		}
		o = append(o, '}')
	}
	return o.numberIf("bytes", r.Bytes).numberIf("items", int64(r.Items)).changesIf("drift", r.Drift)
}

func (v *Version) appendFields(o object) object {
	o = o.number("obj", int64(v.Object)).text("type", v.Type).rv("rv", v.RV).numberIf("generation", v.Generation).textIf("by", v.By)
	o = o.trueIf("guessed", v.Guessed).rvIf("prev", v.Prev).changesIf("changes", v.Changes).trueIf("managedOnly", v.ManagedOnly)
	if len(v.Owners) > 0 {
		o = append(o.name("owners"), '[')
		for _, w := range v.Owners {
			o = append(o.next(), '{').text("apiVersion", w.APIVersion).text("kind", w.Kind).text("name", w.Name).text("uid", w.UID).trueIf("controller", w.Controller)
			o = append(o, '}')
		}
		o = append(o, ']')
	}
	return o.textsIf("finalizers", v.Finalizers).textIf("deleting", v.Deleting)
}

func (l *Log) appendFields(o object) object {
	o = o.numberIf("actor", int64(l.Actor)).numberIf("build", int64(l.Build)).textIf("stream", l.Stream).textIf("level", l.Level).text("message", l.Message)
	if len(l.Attrs) > 0 {
		o = append(o.name("attrs"), '{')
		names := slices.AppendSeq(make([]string, 0, 8), maps.Keys(l.Attrs))
		slices.Sort(names)
		for _, name := range names {
			text, _ := l.Attrs[name].(string) // as appenderOf has seen
			o = appendText(append(appendText(o.next(), name), ':'), text)
		}
		o = append(o, '}')
	}
	return o.textIf("key", l.Key).textIf("reconcile", l.Reconcile).textIf("certainty", string(l.Certainty))
}

func (k *KubeEvent) appendFields(o object) object {
	o = o.numberIf("obj", int64(k.Object)).numberIf("actor", int64(k.Actor)).textIf("request", k.Request).text("type", k.Type).text("reason", k.Reason)
	return o.textIf("message", k.Message).numberIf("count", int64(k.Count))
}

func (e *Event) appendFields(o object) object {
	return o.text("watch", e.Watch).number("actor", int64(e.Actor)).text("type", e.Type).numberIf("obj", int64(e.Object)).rvIf("rv", e.RV).
		numberIf("began", e.Began)
}

func (q *Queue) appendFields(o object) object {
	o = o.text("controller", q.Controller).text("key", q.Key).text("op", q.Op).textIf("why", q.Why).numberIf("obj", int64(q.Object)).rvIf("rv", q.RV)
	o = o.numberIf("delay", q.Delay).numberIf("tries", int64(q.Tries)).numberIf("depth", int64(q.Depth))
	return o.trueIf("merged", q.Merged)
}

func (r *Reconcile) appendFields(o object) object {
	o = o.text("id", r.ID).text("controller", r.Controller).numberIf("actor", int64(r.Actor)).text("key", r.Key).numberIf("obj", int64(r.Object))
	o = o.textIf("of", r.Of).text("state", r.State).number("began", r.Began).numberIf("waited", r.Waited).textIf("result", r.Result)
	o = o.numberIf("after", r.After).textIf("err", r.Err)
	if len(r.Causes) > 0 {
		o = append(o.name("causes"), '[')
		for i := range r.Causes {
			o = append(r.Causes[i].appendFields(append(o.next(), '{')), '}')
		}
		o = append(o, ']')
	}
	return o.numberIf("more", int64(r.More)).numberIf("depth", int64(r.Depth)).text("source", r.Source)
}

func (c *Cause) appendFields(o object) object {
	return o.text("why", c.Why).numberIf("at", c.At).numberIf("obj", int64(c.Object)).rvIf("rv", c.RV).text("certainty", string(c.Certainty)).textIf("proof", c.Proof)
}
