// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"strconv"
)

// appender is a body that is encoded without reflection: of these there are most, and those who make them wait for the
// processor that encodes them. What is appended is what encoding/json makes, without the brace at the begin.
type appender interface {
	appendFields(object) object
}

// object is a JSON object that is not complete.
type object []byte

func (o object) name(name string) object {
	if n := len(o); n > 0 && o[n-1] != '{' && o[n-1] != ',' {
		o = append(o, ',')
	}
	o = append(o, '"')
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

func (o object) rvIf(name string, value uint64) object {
	if value == 0 {
		return o
	}
	return strconv.AppendUint(o.name(name), value, 10)
}

// appendText appends a string as encoding/json does, which escapes what HTML could misunderstand, too.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(s) // a string can be encoded
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func (e *Event) appendFields(o object) object {
	return o.text("watch", e.Watch).number("actor", int64(e.Actor)).text("type", e.Type).numberIf("obj", int64(e.Object)).rvIf("rv", e.RV).
		numberIf("began", e.Began)
}

func (q *Queue) appendFields(o object) object {
	o = o.text("controller", q.Controller).text("key", q.Key).text("op", q.Op).textIf("why", q.Why).numberIf("obj", int64(q.Object)).rvIf("rv", q.RV)
	o = o.numberIf("delay", q.Delay).numberIf("tries", int64(q.Tries)).numberIf("depth", int64(q.Depth))
	if q.Merged {
		o = append(o.name("merged"), "true"...)
	}
	return o
}

func (r *Reconcile) appendFields(o object) object {
	o = o.text("id", r.ID).text("controller", r.Controller).numberIf("actor", int64(r.Actor)).text("key", r.Key).numberIf("obj", int64(r.Object))
	o = o.textIf("of", r.Of).text("state", r.State).number("began", r.Began).numberIf("waited", r.Waited).textIf("result", r.Result)
	o = o.numberIf("after", r.After).textIf("err", r.Err)
	if len(r.Causes) > 0 {
		o = append(o.name("causes"), '[')
		for i := range r.Causes {
			if i > 0 {
				o = append(o, ',')
			}
			o = append(r.Causes[i].appendFields(append(o, '{')), '}')
		}
		o = append(o, ']')
	}
	return o.numberIf("more", int64(r.More)).numberIf("depth", int64(r.Depth)).text("source", r.Source)
}

func (c *Cause) appendFields(o object) object {
	return o.text("why", c.Why).numberIf("at", c.At).numberIf("obj", int64(c.Object)).rvIf("rv", c.RV).text("certainty", string(c.Certainty)).textIf("proof", c.Proof)
}
