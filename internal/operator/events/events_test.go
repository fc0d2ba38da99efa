package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// start runs the writer until stop is called.
func (w *writing) start(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	return func() { cancel(); <-done }
}

func (w *writing) synced(name string) {
	w.Record(about(name), corev1.EventTypeNormal, "Synced", "CronTab synced successfully")
}

func about(name string) corev1.ObjectReference {
	return corev1.ObjectReference{APIVersion: "stable.example.com/v1beta1", Kind: "CronTab", Namespace: "default", Name: name}
}

// posted are the events that were created, in order, and the number of all requests.
func (w *writing) posted(t *testing.T) (events []corev1.Event, requests int) {
	t.Helper()
	all := w.path.Requests()
	for _, r := range all {
		if r.Method != http.MethodPost {
			continue
		}
		var event corev1.Event
		require.NoError(t, json.Unmarshal([]byte(r.Body), &event))
		events = append(events, event)
	}
	return events, len(all)
}

func TestEventsAreFlushedAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which the time to flush does not depend on the machine
		w := newWriting(t)
		const objects = 1200 // more than client-go's broadcaster would hold
		for i := range objects {
			w.synced(fmt.Sprintf("c%d", i))
		}
		w.synced("c1199") // one of those that are remembered
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w.Run(ctx)
		events, requests := w.posted(t)
		if len(events) != objects || requests != objects+1 || w.path.Requests()[objects].Method != http.MethodPatch {
			t.Fatalf("%d events posted, %d requests; log %q", len(events), requests, w.log.Said())
		}
		event := events[0]
		if event.Namespace != "default" || event.InvolvedObject.Name != "c0" || event.InvolvedObject.APIVersion != "stable.example.com/v1beta1" ||
			event.Type != "Normal" || event.Reason != "Synced" || event.Source.Component != "crdctl" || event.ReportingController != "crdctl" ||
			event.Message != "CronTab synced successfully" || event.Count != 1 {
			t.Errorf("%+v", event)
		}
		w.log.Expect(t)
	})
}

func TestEventsAreLostWithTheServer(t *testing.T) {
	w := newWriting(t)
	w.path.Answer(syscall.ECONNREFUSED)
	for i := range 3 {
		w.synced(fmt.Sprintf("c%d", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.Run(ctx)
	if said := w.log.Said(); len(said) != 1 || !strings.HasPrefix(said[0], "Events lost count=3 err=") {
		t.Errorf("%q", said)
	}
}

func TestABurstThatTheServerCannotTakeIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.pending = make(chan *corev1.Event, 2)
		for i := range 5 {
			w.synced(fmt.Sprintf("c%d", i)) // none of them waits
		}
		stop := w.start(t)
		synctest.Wait()
		w.log.Expect(t, "Events lost count=3 err=too many were waiting for the API server")
		stop()
		events, _ := w.posted(t)
		assert.Len(t, events, 2, "events posted")
		w.log.Expect(t, "Events lost count=3 err=too many were waiting for the API server")
	})
}

func TestEventsWaitForTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.path.Answer(apierrors.NewServiceUnavailable("starting"))
		stop := w.start(t)
		for i := range 3 {
			w.synced(fmt.Sprintf("c%d", i))
		}
		time.Sleep(time.Minute)
		if _, requests := w.posted(t); requests < 50 || requests > 70 {
			t.Errorf("%d requests in a minute without a server", requests)
		}
		w.path.Answer(nil)
		before, _ := w.posted(t)
		time.Sleep(2 * eventRetry)
		synctest.Wait()
		all, _ := w.posted(t)
		var names []string
		for _, e := range all[len(before):] {
			names = append(names, e.InvolvedObject.Name)
		}
		assert.Equal(t, "[c0 c1 c2]", fmt.Sprint(names))
		assert.Equal(t, all[len(before)].Name, all[0].Name)
		stop()
		w.log.Expect(t)
	})
}

// A writer that has waited for the server writes what it holds when it is told to stop.
func TestAStopInAnOutageTriesOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.path.Answer(syscall.ECONNREFUSED)
		stop := w.start(t)
		w.synced("a")
		w.synced("b")
		synctest.Wait()
		w.path.Answer(nil)
		stop()
		events, _ := w.posted(t)
		if n := len(events); n < 2 || events[n-2].InvolvedObject.Name != "a" || events[n-1].InvolvedObject.Name != "b" {
			t.Errorf("%+v", events)
		}
		w.log.Expect(t)
	})
}

// A refusal is told, and does not hold up the events after it.
func TestARefusedEventIsDropped(t *testing.T) {
	forbidden := apierrors.NewForbidden(corev1.Resource("events"), "", errors.New("no"))
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.path.Answer(forbidden)
		stop := w.start(t)
		w.synced("a")
		synctest.Wait()
		if said := w.log.Said(); len(said) != 1 || !strings.HasPrefix(said[0], "Events lost count=1 err=") {
			t.Errorf("%q", said)
		}
		w.path.Answer(nil)
		w.synced("b")
		synctest.Wait()
		if events, _ := w.posted(t); len(events) != 2 || events[1].InvolvedObject.Name != "b" {
			t.Errorf("%+v", events)
		}
		w.path.Answer(forbidden)
		w.synced("c")
		w.synced("d")
		stop()
		assert.Equal(t, 3, w.log.Count("Events lost count="), "%q", w.log.Said())
	})
}

// A webhook may be broken for one event, and must not hold up the others for ever.
func TestAnEventThatTheServerFailsAtIsLostInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		w.path.Answer(apierrors.NewInternalError(errors.New("failed calling webhook")))
		stop := w.start(t)
		w.synced("a")
		w.synced("b")
		time.Sleep(time.Hour)
		synctest.Wait()
		events, _ := w.posted(t)
		if n := len(events); n != 2*mostTries || events[0].InvolvedObject.Name != "a" || events[n-1].InvolvedObject.Name != "b" {
			t.Errorf("%d tries", n)
		}
		assert.Equal(t, 2, w.log.Count("Events lost count=1 err="), "%q", w.log.Said())
		stop()
	})
}

// An event that was counted up is made anew when the API server has let it expire.
func TestARepeatedEventThatIsGoneIsMadeAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWriting(t)
		stop := w.start(t)
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
		assert.Equal(t, "[POST PATCH POST]", fmt.Sprint(methods), "%q", methods)
	})
}

func TestEventsOfClusterScopedObjectsAreInTheDefaultNamespace(t *testing.T) {
	w := newWriting(t)
	clusterWide := about("a")
	clusterWide.Namespace = ""
	w.Record(clusterWide, corev1.EventTypeWarning, "Failed", "no")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.Run(ctx)
	if events, _ := w.posted(t); len(events) != 1 || events[0].Namespace != "default" || events[0].InvolvedObject.Namespace != "" || events[0].Type != "Warning" {
		t.Errorf("%+v", events)
	}
}

func TestMessagesAreCutWhole(t *testing.T) {
	long := strings.Repeat("ä", messageLimit)
	for _, text := range []string{"short", strings.Repeat("x", messageLimit), strings.Repeat("x", messageLimit+1), long, "x" + long} {
		got := cut(text)
		if !utf8.ValidString(got) || len(got) > messageLimit || !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) || len(text) <= messageLimit && got != text {
			t.Errorf("%d bytes became %d: %q", len(text), len(got), got)
		}
	}
}
