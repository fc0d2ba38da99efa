package loop

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

func TestRunRefusesWhatItCannotDo(t *testing.T) {
	log, config, kinds := slog.New(newRecording()), &rest.Config{}, []Kind{cronTab}
	for want, options := range map[string]Options{
		"set Options.Log":       {Config: config, Kinds: kinds},
		"set Options.Config":    {Log: log, Kinds: kinds},
		"name at least one CRD": {Log: log, Config: config},
		"crontabs.stable.example.com is named twice; name it once": {Log: log, Config: config, Kinds: append(kinds, cronTab)},
	} {
		if err := Run(t.Context(), options); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want ... %s", err, want)
		}
	}
}

func TestRunLeavesNoGoroutineBehind(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, `{"kind":"CronTabList","apiVersion":"stable.example.com/v1beta1","metadata":{"resourceVersion":"1"},"items":[]}`)
	}))
	defer server.Close()
	before := runtime.NumGoroutine()
	log := newRecording()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- Run(ctx, Options{Config: &rest.Config{Host: server.URL}, Kinds: []Kind{cronTab}, Log: slog.New(log)})
	}()
	for log.count("Started workers") == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for range 100 { // client-go does not wait for the last steps of its own
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
	}
	const about = " kind=CronTab"
	log.expect(t, "Event handlers set up"+about, "Starting control loop"+about, "Waiting for caches to sync"+about,
		"Caches synced"+about+" objects=0", "Started workers"+about+" count=2", "Shutting down workers"+about, "Control loop stopped"+about)
}
