// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// AppendJSON appends the record's line to b, without a line break. A record that was read is copied as it was.
func (r *Record) AppendJSON(b []byte) ([]byte, error) {
	if r.Raw != nil {
		return append(b, r.Raw...), nil
	}
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, r.Seq, 10)
	b = append(b, `,"t":`...)
	b = strconv.AppendInt(b, r.T, 10)
	b = append(b, `,"k":"`...)
	b = append(b, r.Body.Kind()...)
	b = append(b, '"')
	if by := appenderOf(r.Body); by != nil {
		return append(by.appendFields(b), '}'), nil
	}
	body, err := json.Marshal(r.Body)
	if err != nil {
		return nil, fmt.Errorf("encode a record of kind %s: %w", r.Body.Kind(), err)
	}
	if len(body) > len(`{}`) {
		b = append(b, ',')
	}
	return append(b, body[1:]...), nil
}

// maxT is longer than any recording: 400 days.
const maxT = int64(400 * 24 * time.Hour)

// maxSeq is the greatest number that JavaScript has all numbers up to: the page counts as it does.
const maxSeq = 1<<53 - 1

// Parse reads one line. The record keeps the line: the caller must not change it afterwards. A kind that is not known,
// or a body that cannot be decoded, is not an error: the body is Unknown. An error means that the line is not a record.
func Parse(line []byte) (Record, error) {
	h, err := parseHead(line)
	if err != nil {
		return Record{}, err
	}
	r := Record{Seq: h.seq, T: h.t, Raw: line, Body: &Unknown{K: h.kind}}
	var body any = new(struct{})
	if create, ok := bodies[h.kind]; ok {
		r.Body = create()
		body = r.Body
	}
	if err := json.Unmarshal(line, body); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return Record{}, fmt.Errorf("decode a record: %w", err)
		}
		r.Body = &Unknown{K: h.kind, Err: err}
	}
	return r, nil
}

var bodies = map[Kind]func() Body{
	KindHeader:    func() Body { return new(Header) },
	KindDef:       func() Body { return new(Def) },
	KindRequest:   func() Body { return new(Request) },
	KindVersion:   func() Body { return new(Version) },
	KindWatch:     func() Body { return new(Watch) },
	KindEvent:     func() Body { return new(Event) },
	KindQueue:     func() Body { return new(Queue) },
	KindReconcile: func() Body { return new(Reconcile) },
	KindDecision:  func() Body { return new(Decision) },
	KindHook:      func() Body { return new(Hook) },
	KindAdmission: func() Body { return new(Admission) },
	KindLog:       func() Body { return new(Log) },
	KindKubeEvent: func() Body { return new(KubeEvent) },
	KindMetrics:   func() Body { return new(Metrics) },
	KindSave:      func() Body { return new(Save) },
	KindFinding:   func() Body { return new(Finding) },
	KindRights:    func() Body { return new(Rights) },
	KindGap:       func() Body { return new(Gap) },
	KindIndex:     func() Body { return new(Index) },
}

// Unreadable is how many records are known to be missing where this one stands, because of what is wrong with the file that was read.
func (r Record) Unreadable() int64 {
	switch b := r.Body.(type) {
	case *Gap:
		if b.Damaged {
			return max(1, b.Dropped[KindAny])
		}
	case *Unknown:
		if b.Err != nil {
			return 1
		}
	}
	return 0
}
