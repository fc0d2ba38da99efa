// SPDX-License-Identifier: Apache-2.0

// Package events writes core/v1 events about the objects of a loop, which "kubectl get events" and "kubectl describe" show.
//
// It waits for an API server that does not answer, in a buffer that is bounded, and never holds up the recorder.
//
// It is not client-go's record.EventBroadcaster, because that loses events: its queue holds 1,000 and drops the rest of a burst, its
// Shutdown drops what is left (TestEventsAreFlushedAtTheEnd), and it gives an event up after 12 tries (TestEventsWaitForTheServer).
// Counting repeated events and holding back a flood are client-go's own: record.EventCorrelator.
package events

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/crdctl/crdctl/internal/operator/informer"
)

const (
	eventBuffer = 16384
	eventRetry  = time.Second
	// mostTries is for an event that the API server fails at, such as one for which a webhook is broken: those after it wait.
	mostTries = 5
	// requestTimeout ends a request that is not answered, or all later events would wait for it.
	requestTimeout = 10 * time.Second
	flushTime      = 2 * time.Second
	// remembered is how many events are known, to count those that come again. client-go's 4096, three times, grow to 10 MB
	// in a loop whose hook fails in many ways, which looks like a leak for the first hour.
	remembered = 1024
)

var errTooMany = errors.New("the queue of events is full")

// Writer writes events.
type Writer struct {
	client     corev1client.EventsGetter
	source     string
	log        *slog.Logger
	correlator *record.EventCorrelator
	pending    chan *pending
	dropped    atomic.Int64 // since it was last told
}

// NewWriter makes a writer of events whose source is the controller of that name. Nothing is written before Run.
func NewWriter(client corev1client.EventsGetter, source string, log *slog.Logger) *Writer {
	return &Writer{
		client: client, source: source, log: log,
		correlator: record.NewEventCorrelatorWithOptions(record.CorrelatorOptions{LRUCacheSize: remembered}),
		pending:    make(chan *pending, eventBuffer),
	}
}

// Record tells something about an object. It never waits: a loop must not stand still for its events.
func (w *Writer) Record(about corev1.ObjectReference, eventType, reason, message string) {
	p := newPending(about, eventType, reason, message)
	select {
	case w.pending <- p:
	default:
		w.dropped.Add(1)
	}
}

// Run writes until ctx is done, and then what is left, within flushTime.
func (w *Writer) Run(ctx context.Context) {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(flushTime, cancel) })()
	for {
		var next *pending
		select {
		case next = <-w.pending:
		case <-ctx.Done():
			select {
			case next = <-w.pending:
			default:
				w.tellDropped(0, errTooMany)
				return
			}
		}
		if write := w.correlate(next.event(w.source)); write != nil && !w.try(ctx, requests, write) {
			return
		}
	}
}

// try writes an event, as often as it takes. After the end it is tried once, and no event after the first that the API server does
// not take: by then it has gone.
func (w *Writer) try(ctx, requests context.Context, write func(context.Context) error) (goOn bool) {
	for failed := 0; ; {
		err := write(requests)
		if err == nil {
			w.tellDropped(0, errTooMany)
			return true
		}
		if apierrors.IsInternalError(err) {
			failed++
		}
		switch {
		case !informer.Outage(err) || failed == mostTries:
			w.tellDropped(1, err) // refused: trying again would not help
			return true
		case ctx.Err() != nil:
			w.tellDropped(1+len(w.pending), err)
			return false
		}
		select {
		case <-ctx.Done():
		case <-time.After(eventRetry):
		}
	}
}

// tellDropped logs how many events were dropped, once per outage and not for each.
func (w *Writer) tellDropped(more int, err error) {
	if count := w.dropped.Swap(0) + int64(more); count > 0 {
		w.log.Warn("Events lost", "count", count, "err", err)
	}
}

// correlate counts the event once, and returns how to write it, which may be tried more than once; nil: not at all.
func (w *Writer) correlate(event *corev1.Event) func(context.Context) error {
	result, err := w.correlator.EventCorrelate(event)
	if err != nil || result.Skip {
		return nil
	}
	event = result.Event
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		events := w.client.Events(event.Namespace)
		err := error(apierrors.NewNotFound(corev1.Resource("events"), event.Name))
		var written *corev1.Event
		if event.Count > 1 {
			written, err = events.Patch(ctx, event.Name, types.StrategicMergePatchType, result.Patch, metav1.PatchOptions{})
		}
		if apierrors.IsNotFound(err) { // a first event, or one that has expired since
			event.ResourceVersion = ""
			written, err = events.Create(ctx, event, metav1.CreateOptions{})
		}
		if err == nil {
			w.correlator.UpdateState(written)
		}
		return err
	}
}
