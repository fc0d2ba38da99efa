// SPDX-License-Identifier: Apache-2.0

// Package trace defines what a recording of a controller holds: records of requests, versions of objects, deliveries,
// reconciles and the rest, one JSON object a line. It knows neither where records come from nor what they mean: the
// control plane, the built-in loop and run make them, internal/view reads them.
package trace

import "encoding/json"

// A Kind names what a record is about. It is the field "k" of a record's line.
type Kind string

// The kinds of records. A reader skips kinds that it does not know, and passes them on when it copies a recording.
const (
	KindHeader    Kind = "header"
	KindDef       Kind = "def"
	KindRequest   Kind = "request"
	KindVersion   Kind = "version"
	KindWatch     Kind = "watch"
	KindEvent     Kind = "event"
	KindQueue     Kind = "queue"
	KindReconcile Kind = "reconcile"
	KindDecision  Kind = "decision"
	KindHook      Kind = "hook"
	KindAdmission Kind = "admission"
	KindLog       Kind = "log"
	KindKubeEvent Kind = "kubeEvent"
	KindMetrics   Kind = "metrics"
	KindSave      Kind = "save"
	KindFinding   Kind = "finding"
	KindRights    Kind = "rights"
	KindGap       Kind = "gap"
	KindIndex     Kind = "index"

	// KindAny is for records in Gap.Dropped whose kinds are not known any more.
	KindAny Kind = "any"
)

// A Record is one line of a recording.
type Record struct {
	Seq  int64 // position in the recording, from 1, in the order of intake
	T    int64 // nanoseconds since the recording started, on a monotonic clock; Header.Start gives the wall clock
	Body Body

	// Raw is the line that the record was read from, without the line break; nil for a record that was made here. It
	// keeps the fields that this version does not know.
	Raw []byte
}

// A Body is what a record says: one of the types of this package whose Kind method returns a constant, or Unknown.
type Body interface{ Kind() Kind }

// Unknown is the body of a record of a kind that this version does not know, or whose fields it cannot decode.
type Unknown struct {
	K   Kind
	Err error // why the fields could not be decoded; nil if the kind is not known
}

// Sink takes records while something runs. Add returns at once, whatever happens to the record: what does not fit is
// counted in a Gap. The zero time of a body's fields is that of Now.
type Sink interface {
	Add(Body)
	// AddAt is Add of what happened at t, which is not later than Now. It is for what is known only some time after it
	// happened: the T of such records can be before that of the record before them, by a few milliseconds as a rule.
	AddAt(t int64, b Body)
	Now() int64 // nanoseconds since the recording started
	// Defs interns what records refer to by number. The definitions are added to the recording on first use.
	Defs() *Defs
}

// Numbers of what Def records define, from 1 each; 0 is "not known".
type (
	// ActorID numbers actors.
	ActorID int32
	// ResourceID numbers resources.
	ResourceID int32
	// ObjectID numbers objects.
	ObjectID int32
)

// Certainty grades a link between records.
type Certainty string

// The certainties. Certain is for what a version, an ID or a hook proves, never for what was inferred.
const (
	Certain   Certainty = "certain"
	Likely    Certainty = "likely"
	Uncertain Certainty = "unknown"
)

// A Change is a field that differs between two versions of an object, or between what was sent and what was stored. A
// value that is missing on one side is nil. An array of other length is one change.
type Change struct {
	Path string          `json:"path"` // as in spec.containers[0].image and metadata.annotations["a.b/c"]
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

// Withheld reports whether the values of the change are not recorded.
func (c Change) Withheld() bool { return c.Old == nil && c.New == nil }
