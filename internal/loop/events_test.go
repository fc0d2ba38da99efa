package loop

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
)

// eventServer keeps what is posted, and the methods of all requests.
type eventServer struct {
	mu      sync.Mutex
	methods []string
	posted  []corev1.Event
}

func (s *eventServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.methods = append(s.methods, r.Method)
	var event corev1.Event
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Method == http.MethodPost {
		err = json.Unmarshal(body, &event)
		s.posted = append(s.posted, event)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(event); err != nil {
		panic(err)
	}
}

func newTestEventWriter(t *testing.T, url string) (*eventWriter, recording) {
	t.Helper()
	client, err := corev1client.NewForConfig(clientConfig(&rest.Config{Host: url, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}))
	if err != nil {
		t.Fatal(err)
	}
	log := newRecording()
	return newEventWriter(client, slog.New(log)), log
}

func TestEventsAreFlushedAtTheEnd(t *testing.T) {
	api := &eventServer{}
	server := httptest.NewServer(api)
	defer server.Close()
	events, log := newTestEventWriter(t, server.URL)
	const objects = 1200 // more than client-go's broadcaster would hold
	for i := range objects {
		events.synced(cronTab, &Object{cronTabObject(fmt.Sprintf("c%d", i), "1", 2)})
	}
	events.synced(cronTab, &Object{cronTabObject("c0", "2", 3)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	events.run(ctx)
	if len(api.posted) != objects || len(api.methods) != objects+1 || api.methods[objects] != http.MethodPatch {
		t.Fatalf("%d events posted, %d requests; log %q", len(api.posted), len(api.methods), log.said())
	}
	event := api.posted[0]
	if event.Namespace != "default" || event.InvolvedObject.Name != "c0" || event.InvolvedObject.APIVersion != "stable.example.com/v1beta1" ||
		event.Type != "Normal" || event.Reason != "Synced" || event.Source.Component != "crdctl" || event.Message != "CronTab synced successfully" {
		t.Errorf("%+v", event)
	}
}

func TestEventsAreLostWithTheServer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	events, log := newTestEventWriter(t, server.URL)
	for i := range 3 {
		events.synced(cronTab, &Object{cronTabObject(fmt.Sprintf("c%d", i), "1", 2)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	events.run(ctx)
	if said := log.said(); len(said) != 1 || !strings.HasPrefix(said[0], "Events lost count=3 err=") {
		t.Errorf("%q", said)
	}
}

func TestABurstThatTheServerCannotTakeIsToldOnce(t *testing.T) {
	api := &eventServer{}
	server := httptest.NewServer(api)
	defer server.Close()
	events, log := newTestEventWriter(t, server.URL)
	events.pending = make(chan *corev1.Event, 2)
	for i := range 5 {
		events.synced(cronTab, &Object{cronTabObject(fmt.Sprintf("c%d", i), "1", 2)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		events.run(ctx)
	}()
	for log.count("Events lost") == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	log.expect(t, "Events lost count=3 err=too many were waiting for the API server")
}
