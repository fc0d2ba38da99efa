// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/internal/trace"
)

// watch is an open watch. chunk belongs to the handler that serves it; what is below belongs to the worker.
type watch struct {
	x     *exchange
	r     *Recorder
	chunk []byte // written since the last flush
	since int64  // when the first of chunk began to be written
	begun bool

	rec      trace.Watch
	actor    trace.Actor
	rest     []byte // of the stream, that is not a whole frame yet
	began    int64  // when what is being read began to be written, if that was much before it was known to be
	failed   bool   // the stream cannot be read
	initial  bool   // the initial events end with a bookmark
	selected bool   // an object may come and go without being created or deleted
	reason   string // of an ERROR event
}

func newWatch(r *Recorder, x *exchange) *watch { return &watch{x: x, r: r} }

// flush queues what was handed to the client at t.
func (w *watch) flush(t int64) {
	if !w.begun {
		w.begun = true
		w.r.put(watchOpen{w, t})
	}
	if len(w.chunk) > 0 {
		w.r.put(delivery{w, w.since, t, w.chunk})
		w.chunk = nil
	}
}

// chunkBytes is how much of a stream that is not flushed is kept before what is whole of it is queued: the first events of
// a large watch are written at once.
const chunkBytes = 1 << 20

// wrote takes what was written to the client from since on.
func (w *watch) wrote(b []byte, since int64) {
	if len(w.chunk) > queueBytes {
		return // it will be dropped as a whole
	}
	if len(w.chunk) == 0 {
		w.since = since
	}
	w.chunk = append(w.chunk, b...)
	if len(w.chunk) < chunkBytes || w.x.answerEncoding == "gzip" { // compressed, it is whole when it is flushed
		return
	}
	if n := wholeFrames(w.chunk, w.protobuf()); n > 0 {
		rest := bytes.Clone(w.chunk[n:])
		w.chunk = w.chunk[:n]
		w.flush(w.r.Sink.Now())
		w.chunk, w.since = rest, since
	}
}

func (w *watch) protobuf() bool { return strings.HasPrefix(w.x.answerType, typeProtobuf) }

// wholeFrames is the length of the frames that are whole. What is dropped must end with one.
func wholeFrames(content []byte, protobuf bool) int {
	if !protobuf {
		return bytes.LastIndexByte(content, '\n') + 1
	}
	rest := content
	for frame := content; frame != nil; {
		frame, rest = cutFrame(rest)
	}
	return len(content) - len(rest)
}

type watchOpen struct {
	*watch
	t int64
}

func (watchOpen) size() int         { return 0 }
func (watchOpen) kind() trace.Kind  { return trace.KindWatch }
func (o watchOpen) work(to *worker) { o.open(to, o.t) }

// delivery is what was handed to the client of a watch at once: from since on, and by t. On a busy machine the client can have acted on it
// long before t.
type delivery struct {
	*watch
	since, t int64
	content  []byte
}

// long is from when on the time that it took to hand something over is recorded.
const long = int64(time.Millisecond)

func (d delivery) size() int      { return len(d.content) }
func (delivery) kind() trace.Kind { return trace.KindEvent }

func (d delivery) work(to *worker) {
	d.reopen(to, d.t)
	d.began = 0
	if d.t-d.since > long {
		d.began = d.since
	}
	d.read(to, d.t, d.content)
}

type watchEnd struct{ *watch }

func (watchEnd) size() int         { return 0 }
func (watchEnd) kind() trace.Kind  { return trace.KindWatch }
func (e watchEnd) work(to *worker) { e.reopen(to, e.x.ended); e.end(to) }

// reopen opens a watch of which the begin was dropped.
func (w *watch) reopen(to *worker, t int64) {
	if w.rec.ID == "" {
		w.open(to, t)
	}
}

// state records the watch as it is.
func (w *watch) state(to *worker, t int64, state string) {
	w.rec.State = state
	rec := w.rec
	to.Sink.AddAt(t, &rec)
}

func (w *watch) open(to *worker, t int64) {
	x := w.x
	w.actor = to.actor(x.user, x.agent)
	query, _ := url.ParseQuery(x.query) // what can be read of it
	w.rec = trace.Watch{
		ID: x.id, Actor: to.Sink.Defs().Actor(w.actor), Resource: to.resource(x.info, nil), Namespace: x.info.Namespace,
		Labels: x.info.LabelSelector, Fields: x.info.FieldSelector, FromRV: number(query.Get("resourceVersion")),
	}
	w.initial = query.Get("sendInitialEvents") == "true"
	w.selected = x.info.LabelSelector != "" || x.info.FieldSelector != ""
	w.state(to, t, "open")
	if !w.initial { // the client has listed
		w.state(to, t, "synced")
	}
}

func (w *watch) end(to *worker) {
	x := w.x
	w.rec.Bytes = x.bytes
	switch {
	case w.reason == string(metav1.StatusReasonExpired), w.reason == string(metav1.StatusReasonGone):
		w.rec.End = "expired"
	case w.reason != "":
		w.rec.End = "error"
	case x.canceled:
		w.rec.End = "client"
	case x.broken: // as a proxy does if the cluster did
		w.rec.End = "error"
	default:
		w.rec.End = "timeout"
	}
	w.state(to, x.ended, "end")
	if w.actor.Class != trace.ClassSystem {
		rec := x.record(to, nil)
		rec.Actor, rec.RVIn = w.rec.Actor, w.rec.FromRV
		to.Sink.AddAt(x.ended, rec)
	}
}

// read takes the frames out of what was delivered.
func (w *watch) read(to *worker, t int64, content []byte) {
	if w.failed {
		return
	}
	if !w.protobuf() && !strings.HasPrefix(w.x.answerType, typeJSON) {
		w.fail(to, t, fmt.Sprintf("a watch has its events as %s, which cannot be read", w.x.answerType))
		return
	}
	if w.x.answerEncoding != "gzip" {
		w.frames(to, t, content)
		return
	}
	// Each flush ends a member. It is not decompressed as a whole: all objects of a kind can be in it.
	z, err := gzip.NewReader(bytes.NewReader(content))
	for err == nil {
		part := make([]byte, 64<<10) // objects that are held refer to it
		var n int
		n, err = io.ReadFull(z, part)
		w.frames(to, t, part[:n])
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		w.fail(to, t, fmt.Sprintf("the events of a watch cannot be decompressed: %v", err))
	}
}

// fail gives the stream up, and the events that it still has.
func (w *watch) fail(to *worker, t int64, why string) {
	w.failed = true
	missing(to, t, why)
}

// missing records that an event at least is not recorded.
func missing(to *worker, t int64, why string) {
	to.Sink.AddAt(t, &trace.Gap{From: t, To: t, Dropped: map[trace.Kind]int64{trace.KindEvent: 1}, Why: why})
}

// frames takes the frames out of a part of the stream.
func (w *watch) frames(to *worker, t int64, content []byte) {
	if len(w.rest) > 0 {
		content = append(w.rest, content...)
	}
	for {
		frame, rest := cutLine(content)
		if w.protobuf() {
			frame, rest = cutFrame(content)
		}
		if frame == nil {
			break
		}
		content = rest
		typ, o, err := decodeFrame(frame, w.protobuf())
		if err != nil {
			missing(to, t, fmt.Sprintf("an event of a watch cannot be read: %v", err))
			continue
		}
		w.event(to, t, typ, o)
	}
	w.rest = bytes.Clone(content)
}

// cutLine takes one JSON frame.
func cutLine(content []byte) (frame, rest []byte) {
	i := bytes.IndexByte(content, '\n')
	if i < 0 {
		return nil, content
	}
	return content[:i], content[i+1:]
}

// cutFrame takes one protobuf frame, which has its length before it.
func cutFrame(content []byte) (frame, rest []byte) {
	if len(content) < 4 {
		return nil, content
	}
	end := 4 + int(binary.BigEndian.Uint32(content))
	if len(content) < end {
		return nil, content
	}
	return content[4:end], content[end:]
}

func decodeFrame(frame []byte, protobuf bool) (typ string, o *object, err error) {
	if protobuf {
		var event metav1.WatchEvent
		if err := event.Unmarshal(frame); err != nil {
			return "", nil, err
		}
		o, err = decodeProtobuf(event.Object.Raw)
		return event.Type, o, err
	}
	typ, content, err := cutEvent(frame)
	if err != nil {
		return "", nil, err
	}
	o, err = decodeJSON(content)
	return typ, o, err
}

// cutEvent takes the object out of an event. It knows how the API server writes one, which saves the time to read it twice.
func cutEvent(frame []byte) (typ string, content []byte, err error) {
	if rest, ok := bytes.CutPrefix(frame, []byte(`{"type":"`)); ok {
		if typ, content, ok := bytes.Cut(rest, []byte(`","object":`)); ok && len(typ) < 16 && bytes.HasSuffix(content, []byte("}}")) {
			return string(typ), content[:len(content)-1], nil
		}
	}
	var event struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`
	}
	err = json.Unmarshal(frame, &event)
	return event.Type, event.Object, err
}

// event is one event of a watch.
func (w *watch) event(to *worker, t int64, typ string, o *object) {
	system := w.actor.Class == trace.ClassSystem
	switch typ {
	case "BOOKMARK":
		if w.initial && w.rec.State == "open" && o.endsInitialEvents() {
			w.state(to, t, "synced")
		}
		return
	case "ERROR":
		w.reason = cmp.Or(o.Reason, http.StatusText(o.Code))
		if !system {
			to.Sink.AddAt(t, &trace.Event{Watch: w.rec.ID, Actor: w.rec.Actor, Type: typ, Began: w.began})
		}
		return
	}
	uid, rv := o.Metadata.UID, o.rv()
	if uid == "" {
		return // such as a table of kubectl's
	}
	w.rec.Events++
	switch typ {
	case added:
		w.rec.Objects++
	case deleted:
		w.rec.Objects--
	}
	if typ == deleted {
		delete(to.hooks, uid)
	} else {
		to.learn(w.x.info, o)
	}
	id := to.object(w.x.info, o)
	if typ == deleted && !w.selected {
		to.resources.byName.remove(name{w.x.info.APIGroup, w.x.info.Resource, o.Metadata.Namespace, o.Metadata.Name})
	}
	if !system {
		to.Sink.AddAt(t, &trace.Event{Watch: w.rec.ID, Actor: w.rec.Actor, Type: typ, Object: id, RV: rv, Began: w.began})
	}
	n := &version{uid: uid, rv: rv, t: t, typ: typ, target: target(w.x.info), id: id, baseline: system && w.rec.State == "open", object: o}
	if w.selected && typ != modified || w.rec.State == "open" && typ == added { // it may be older
		n.typ = ""
	}
	to.versions.see(n)
}

// endsInitialEvents reports whether a bookmark is the one after the initial events.
func (o *object) endsInitialEvents() bool {
	if o.protobuf {
		typed, _ := o.encoding().typed()
		m, ok := typed.(metav1.Object)
		return ok && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
	}
	var bookmark metav1.PartialObjectMetadata
	return json.Unmarshal(o.raw, &bookmark) == nil && bookmark.Annotations[metav1.InitialEventsAnnotationKey] == "true"
}
