// SPDX-License-Identifier: Apache-2.0

package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// writing is a writer on an API server, and what it said.
type writing struct {
	*Writer
	path *operatortest.Endpoint
	log  operatortest.Log
}

func newWriting(t *testing.T) *writing {
	t.Helper()
	api := operatortest.NewAPI()
	config := informer.ClientConfig(informer.Prompt(&rest.Config{Host: "http://api.test", Transport: api, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}))
	client, err := corev1client.NewForConfig(config)
	require.NoError(t, err)
	w := &writing{path: api.At(operatortest.Events), log: operatortest.NewLog()}
	w.Writer = NewWriter(client, "crdctl", slog.New(w.log))
	return w
}

// inBubble runs a test of a writer, which runs until stop is called, on an API server that answers with err.
func inBubble(t *testing.T, err error, test func(t *testing.T, w *writing, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.path.Answer(err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.Run(ctx)
		}()
		test(t, w, func() { cancel(); <-done })
	})
}

// flush runs the writer when it is at its end already.
func (w *writing) flush(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.Run(ctx)
}

func (w *writing) synced(names ...string) {
	for _, name := range names {
		w.Record(about(name), corev1.EventTypeNormal, "Synced", "CronTab synced successfully")
	}
}

func about(name string) corev1.ObjectReference {
	return corev1.ObjectReference{APIVersion: "stable.example.com/v1beta1", Kind: "CronTab", Namespace: "default", Name: name}
}

// posted are the events that were created, in order, and the objects that they are about.
func (w *writing) posted(t *testing.T) (events []corev1.Event, names []string) {
	t.Helper()
	for _, r := range w.path.Requests() {
		if r.Method != http.MethodPost {
			continue
		}
		var event corev1.Event
		require.NoError(t, json.Unmarshal([]byte(r.Body), &event))
		events, names = append(events, event), append(names, event.InvolvedObject.Name)
	}
	return events, names
}

func TestEventsAreFlushedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which the time to flush does not depend on the machine
		w := newWriting(t)
		const objects = 1200 // more than client-go's broadcaster would hold
		for i := range objects {
			w.synced(fmt.Sprintf("c%d", i))
		}
		w.synced("c1199") // one of those that are remembered
		w.flush(t)
		events, _ := w.posted(t)
		require.Len(t, events, objects)
		require.Len(t, w.path.Requests(), objects+1)
		assert.Equal(t, http.MethodPatch, w.path.Requests()[objects].Method)
		event := events[0]
		event.TypeMeta = metav1.TypeMeta{}
		event.ObjectMeta, event.FirstTimestamp, event.LastTimestamp = metav1.ObjectMeta{Namespace: event.Namespace}, metav1.Time{}, metav1.Time{}
		assert.Equal(t, corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default"}, InvolvedObject: about("c0"), Type: "Normal", Reason: "Synced", Count: 1,
			Message: "CronTab synced successfully", Source: corev1.EventSource{Component: "crdctl"}, ReportingController: "crdctl",
		}, event)
		w.log.Expect(t)
	})
}

func TestEventsAreLostWithTheServer(t *testing.T) {
	w := newWriting(t)
	w.path.Answer(syscall.ECONNREFUSED)
	w.synced("a", "b", "c")
	w.flush(t)
	assert.Len(t, w.log.Said(), 1)
	assert.Equal(t, 1, w.log.Count("Events lost count=3 err="), "%q", w.log.Said())
}

func TestABurstThatTheServerCannotTakeIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.pending = make(chan *pending, 2)
		w.synced("a", "b", "c", "d", "e") // none of them waits
		w.flush(t)
		_, names := w.posted(t)
		assert.Equal(t, []string{"a", "b"}, names)
		w.log.Expect(t, "Events lost count=3 err=the queue of events is full")
	})
}

func TestEventsWaitForTheServer(t *testing.T) {
	inBubble(t, apierrors.NewServiceUnavailable("starting"), func(t *testing.T, w *writing, stop func()) {
		w.synced("a", "b", "c")
		time.Sleep(time.Minute)
		assert.InDelta(t, 60, len(w.path.Requests()), 10, "requests in a minute without a server")
		w.path.Answer(nil)
		before := len(w.path.Requests())
		time.Sleep(2 * eventRetry)
		synctest.Wait()
		events, names := w.posted(t)
		assert.Equal(t, []string{"a", "b", "c"}, names[before:])
		assert.Equal(t, events[before].Name, events[0].Name)
		stop()
		w.log.Expect(t)
	})
}

// A writer that has waited for the server writes what it holds when it is told to stop.
func TestAStopInAnOutageTriesOnceMore(t *testing.T) {
	inBubble(t, syscall.ECONNREFUSED, func(t *testing.T, w *writing, stop func()) {
		w.synced("a", "b")
		synctest.Wait()
		w.path.Answer(nil)
		before := len(w.path.Requests())
		stop()
		_, names := w.posted(t)
		assert.Equal(t, []string{"a", "b"}, names[before:])
		w.log.Expect(t)
	})
}

// A refusal is told, and does not hold up the events after it.
func TestARefusedEventIsDropped(t *testing.T) {
	forbidden := apierrors.NewForbidden(corev1.Resource("events"), "", errors.New("no"))
	inBubble(t, forbidden, func(t *testing.T, w *writing, stop func()) {
		w.synced("a")
		synctest.Wait()
		assert.Equal(t, 1, w.log.Count("Events lost count=1 err="), "%q", w.log.Said())
		w.path.Answer(nil)
		w.synced("b")
		synctest.Wait()
		_, names := w.posted(t)
		assert.Equal(t, []string{"a", "b"}, names)
		w.path.Answer(forbidden)
		w.synced("c", "d")
		stop()
		assert.Equal(t, 3, w.log.Count("Events lost count="), "%q", w.log.Said())
	})
}

// A webhook may be broken for one event, and must not hold up the others for ever.
func TestAnEventThatTheServerFailsAtIsLostInTheEnd(t *testing.T) {
	inBubble(t, apierrors.NewInternalError(errors.New("failed calling webhook")), func(t *testing.T, w *writing, stop func()) {
		w.synced("a", "b")
		time.Sleep(time.Hour)
		synctest.Wait()
		_, names := w.posted(t)
		assert.Equal(t, append(slices.Repeat([]string{"a"}, mostTries), slices.Repeat([]string{"b"}, mostTries)...), names)
		assert.Equal(t, 2, w.log.Count("Events lost count=1 err="), "%q", w.log.Said())
		stop()
	})
}

// An event that was counted up is made anew when the API server has let it expire.
func TestARepeatedEventThatIsGoneIsMadeAnew(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *writing, stop func()) {
		w.synced("a")
		synctest.Wait()
		w.path.Answer(apierrors.NewNotFound(corev1.Resource("events"), "a.1"))
		w.synced("a")
		synctest.Wait()
		stop()
		var methods []string
		for _, r := range w.path.Requests() {
			methods = append(methods, r.Method)
		}
		assert.Equal(t, []string{"POST", "PATCH", "POST"}, methods)
	})
}

func TestEventsOfClusterScopedObjectsAreInTheDefaultNamespace(t *testing.T) {
	w := newWriting(t)
	clusterWide := about("a")
	clusterWide.Namespace = ""
	w.Record(clusterWide, corev1.EventTypeWarning, "Failed", strings.Repeat("ä", messageLimit))
	w.flush(t)
	events, _ := w.posted(t)
	require.Len(t, events, 1)
	assert.Equal(t, []string{"default", "", "Warning"}, []string{events[0].Namespace, events[0].InvolvedObject.Namespace, events[0].Type})
	assert.LessOrEqual(t, len(events[0].Message), messageLimit)
}
