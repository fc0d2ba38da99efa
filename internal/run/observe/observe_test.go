// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// sink keeps all records. Its clock moves with each look.
type sink struct {
	mu    sync.Mutex
	now   int64
	all   []trace.Body
	defs  *trace.Defs
	added chan struct{}
}

func newSink() *sink {
	s := &sink{added: make(chan struct{}, 1000)}
	s.defs = trace.NewDefs(func(d *trace.Def) { s.Add(d) })
	return s
}

func (s *sink) Add(b trace.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, b)
	s.added <- struct{}{}
}

func (s *sink) AddAt(_ int64, b trace.Body) { s.Add(b) }

func (s *sink) Now() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now++
	return s.now
}

func (s *sink) Defs() *trace.Defs { return s.defs }

// recorded are the records of one type.
func recorded[B trace.Body](s *sink) (all []B) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.all {
		if b, ok := b.(B); ok {
			all = append(all, b)
		}
	}
	return all
}

func started(r *Run, sum string, pid int) *Process {
	p := r.Process(sum)
	p.Started(pid)
	return p
}

// The formats of logs that controllers have, each as its library writes it.
func TestReadLine(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want trace.Log
	}{
		"zap, JSON": {
			`{"level":"error","ts":"2026-11-23T11:20:18Z","msg":"Reconciler error","controller":"crontab","namespace":"default","name":"x","reconcileID":"a-b","error":"no"}`,
			trace.Log{Level: "error", Message: "Reconciler error", Key: "default/x", Reconcile: "a-b", Certainty: trace.Certain, Attrs: map[string]any{"controller": "crontab", "namespace": "default", "name": "x", "reconcileID": "a-b", "error": "no"}},
		},
		"zap, JSON, verbose": {
			`{"level":"Level(-5)","ts":"2026-11-23T11:20:18Z","msg":"Reconciling","controller":"crontab","namespace":"","name":"x","reconcileID":"a-b"}`,
			trace.Log{Level: "debug", Message: "Reconciling", Key: "x", Reconcile: "a-b", Certainty: trace.Certain, Attrs: map[string]any{"controller": "crontab", "namespace": "", "name": "x", "reconcileID": "a-b"}},
		},
		"zap, console": {
			"2026-11-23T11:20:18Z\tLEVEL(-5)\tcontrollers.CronTab\tReconciling\t{\"controller\": \"crontab\", \"namespace\": \"default\", \"name\": \"x\", \"reconcileID\": \"a-b\"}",
			trace.Log{Level: "debug", Message: "Reconciling", Key: "default/x", Reconcile: "a-b", Certainty: trace.Certain, Attrs: map[string]any{"controller": "crontab", "namespace": "default", "name": "x", "reconcileID": "a-b"}},
		},
		"zap, console, colors, no attributes": {
			"2026-11-23T11:20:18Z\t\x1b[34mINFO\x1b[0m\tsetup\tstarting manager",
			trace.Log{Level: "info", Message: "starting manager"},
		},
		"klog, structured": {
			`I1123 11:20:18.123456   12345 controller.go:123] "Successfully synced" key="default/x" tries=3 what={"a":"b c"} why="it \"did\""`,
			trace.Log{Level: "info", Message: "Successfully synced", Key: "default/x", Attrs: map[string]any{"key": "default/x", "tries": "3", "what": map[string]any{"a": "b c"}, "why": `it "did"`}},
		},
		"klog, by kind": {
			`I1123 11:20:18.123456   12345 controller.go:123] "Child updated" file="a/b" cronTab="default/x" deployment="default/y"`,
			trace.Log{Level: "info", Message: "Child updated", Key: "default/x", Attrs: map[string]any{"file": "a/b", "cronTab": "default/x", "deployment": "default/y"}},
		},
		"klog, plain": {
			`E1123 11:20:18.123456       1 reflector.go:99] k8s.io/client-go: Failed to watch "x"`,
			trace.Log{Level: "error", Message: `k8s.io/client-go: Failed to watch "x"`},
		},
		"component-base, JSON": {
			`{"ts":1763896818123.4,"caller":"a/b.go:1","msg":"Sync","v":2,"key":{"name":"x","namespace":"default"}}`,
			trace.Log{Level: "info", Message: "Sync", Key: "default/x", Attrs: map[string]any{"caller": "a/b.go:1", "v": 2.0, "key": map[string]any{"name": "x", "namespace": "default"}}},
		},
		"component-base, JSON, error": {
			`{"ts":1763896818123.4,"caller":"a/b.go:1","msg":"Sync","err":"no"}`,
			trace.Log{Level: "error", Message: "Sync", Attrs: map[string]any{"caller": "a/b.go:1", "err": "no"}},
		},
		"slog, text": {
			`time=2026-11-23T11:20:18.1Z level=WARN msg="slow request" key=default/x took=3ms`,
			trace.Log{Level: "warning", Message: "slow request", Key: "default/x", Attrs: map[string]any{"key": "default/x", "took": "3ms"}},
		},
		"JSON without a message": {`{"a":1}`, trace.Log{Message: `{"a":1}`}},
		"a table":                {"a\tb\tc", trace.Log{Message: "a\tb\tc"}},
		"a panic":                {"panic: runtime error: x=y", trace.Log{Message: "panic: runtime error: x=y"}},
		"half a line":            {`I1123 11:20:18.123456   12345 controller.go:123] "Succ`, trace.Log{Level: "info", Message: `"Succ`}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, &test.want, readLine(test.text).record(func(kind string) bool { return kind == "crontab" || kind == "deployment" }))
		})
	}
}

func TestReconciles(t *testing.T) {
	const console = "2026-11-23T11:20:18Z\t%L\t%M\t{\"controller\": \"crontab\", \"controllerGroup\": \"stable.example.com\", \"controllerKind\": \"CronTab\", \"namespace\": \"default\", \"name\": \"x\", \"reconcileID\": \"%I\"%E}"
	line := func(level, message, id, more string) string {
		return strings.NewReplacer("%L", level, "%M", message, "%I", id, "%E", more).Replace(console)
	}
	s := newSink()
	r := New(s, "crontab")
	_, err := started(r, "aa", 1).Output(&bytes.Buffer{}, "stderr").Write([]byte(strings.Join([]string{
		line("LEVEL(-5)", "Reconciling", "1", ""),
		line("INFO", "Reconciling", "of the user", ""),
		line("LEVEL(-5)", "Reconcile successful", "1", ""),
		line("LEVEL(-5)", "Reconciling", "2", ""),
		line("LEVEL(-5)", "Reconcile done, requeueing after 1m30s", "2", ""),
		line("ERROR", "Reconciler error", "3", `, "error": "no such thing"`),
		"sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller).reconcileHandler",
		"\t/home/u/go/pkg/mod/controller.go:316",
		line("INFO", "Observed a panic in reconciler: boom", "4", ""),
		line("ERROR", "Reconciler error", "4", `, "error": "panic: boom [recovered]"`),
		line("ERROR", "Observed a panic", "6", `, "panic": "boom"`),
		line("ERROR", "Reconciler error", "6", `, "error": "panic: boom [recovered]"`),
		`E1130 15:25:51.422438   13298 controller.go:495] "Reconciler error" err="no server" controller="crontab" controllerKind="CronTab" controllerGroup="stable.example.com" namespace="default" name="x" reconcileID="5"`,
	}, "\n") + "\n"))
	require.NoError(t, err)
	r.Close()
	var got []trace.Reconcile
	for _, rec := range recorded[*trace.Reconcile](s) {
		assert.Equal(t, rec.ID == "1" || rec.ID == "2", rec.Began > 0, "began: %+v", rec)
		assert.Equal(t, trace.ActorID(1), rec.Actor)
		rec.Began, rec.Actor = 0, 0
		got = append(got, *rec)
	}
	assert.Equal(t, []trace.Reconcile{
		{ID: "1", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "begin", Source: "log"},
		{ID: "1", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "end", Result: "ok", Source: "log"},
		{ID: "2", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "begin", Source: "log"},
		{ID: "2", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "end", Result: "requeue", After: int64(90 * time.Second), Source: "log"},
		{ID: "3", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "end", Result: "error", Err: "no such thing", Source: "log"},
		{ID: "4", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "end", Result: "panic", Err: "panic: boom [recovered]", Source: "log"},
		{ID: "6", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "end", Result: "panic", Err: "panic: boom [recovered]", Source: "log"},
		{ID: "5", Controller: "crontab", Key: "default/x", Of: "CronTab.stable.example.com", State: "end", Result: "error", Err: "no server", Source: "log"},
	}, got)
	assert.Len(t, recorded[*trace.Log](s), 13)
}

// A save has what was done about it; one that does not compile leaves the build that runs.
func TestSave(t *testing.T) {
	s := newSink()
	r := New(s, "crontab")
	save := r.Save(nil)
	assert.NoError(t, save.Step("build", func() error { return nil }))
	started(r, "aa", 1)
	save.End()

	save = r.Save([]string{"main.go"})
	broken := errors.New("does not compile")
	assert.ErrorIs(t, save.Step("build", func() error { return broken }), broken)
	save.End()

	save = r.Save([]string{"main.go"})
	assert.NoError(t, save.Step("build", func() error { return nil }))
	started(r, "bb", 2)
	save.End()
	started(r, "bb", 3) // again, after a crash

	r.Save([]string{"README.md"}).End()
	r.Close()
	saves := recorded[*trace.Save](s)
	require.Len(t, saves, 3)
	for i, want := range []trace.Save{
		{Build: 1, After: "aa", Steps: []trace.Step{{Name: "build", OK: true}}},
		{Build: 1, Before: "aa", After: "aa", Files: []string{"main.go"}, Steps: []trace.Step{{Name: "build", Message: "does not compile"}}},
		{Build: 2, Before: "aa", After: "bb", Files: []string{"main.go"}, Steps: []trace.Step{{Name: "build", OK: true}}},
	} {
		got := *saves[i]
		assert.Positive(t, got.Steps[0].Took)
		got.Steps[0].Took = 0
		assert.Equal(t, want, got)
	}
	var builds, pids []int
	for _, d := range recorded[*trace.Def](s) {
		builds, pids = append(builds, d.Actor.Build), append(pids, d.Actor.PID)
	}
	assert.Equal(t, []int{1, 2, 2}, builds)
	assert.Equal(t, []int{1, 2, 3}, pids)
}

// Without a recorder, all works as it does without this package.
func TestNoRun(t *testing.T) {
	var r *Run
	var out bytes.Buffer
	p := r.Process("aa")
	assert.Equal(t, &out, p.Output(&out, "stdout"))
	p.Started(1)
	save := r.Save([]string{"main.go"})
	did := false
	assert.NoError(t, save.Step("build", func() error { did = true; return nil }))
	assert.True(t, did)
	save.End()
	r.Sample(t.Context(), "127.0.0.1:1")
	r.Close()
}

const metrics = `# HELP controller_runtime_reconcile_total Total number of reconciliations per controller
# TYPE controller_runtime_reconcile_total counter
controller_runtime_reconcile_total{controller="crontab",result="error"} 3
controller_runtime_reconcile_total{controller="crontab",result="success"} %d
# TYPE workqueue_depth gauge
workqueue_depth{controller="crontab",name="crontab"} 2
# TYPE workqueue_unfinished_work_seconds gauge
workqueue_unfinished_work_seconds{name="crontab"} NaN
# TYPE workqueue_queue_duration_seconds histogram
workqueue_queue_duration_seconds_bucket{name="crontab",le="1"} 4
workqueue_queue_duration_seconds_bucket{name="crontab",le="+Inf"} 5
workqueue_queue_duration_seconds_sum{name="crontab"} 1.5
workqueue_queue_duration_seconds_count{name="crontab"} 5
# TYPE go_goroutines gauge
go_goroutines 10
`

// A controller that serves its metrics with TLS logs each request without, so there is one.
func TestSampleOfTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	r := New(newSink(), "crontab")
	defer r.Close()
	r.Sample(t.Context(), strings.TrimPrefix(server.URL, "https://")) // returns
}

// Metrics are recorded as they come, and not again until one changes.
func TestSample(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		assert.Equal(t, "/metrics", req.URL.Path)
		assert.Empty(t, req.Header.Get("Authorization"))
		asked++
		if asked == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		value := "7"
		if asked > 3 {
			value = "8"
		}
		_, _ = w.Write([]byte(strings.Replace(metrics, "%d", value, 1)))
	}))
	defer server.Close()
	s := newSink()
	r := New(s, "crontab")
	defer r.Close()
	go r.Sample(t.Context(), strings.TrimPrefix(server.URL, "http://"))
	<-s.added
	<-s.added
	all := recorded[*trace.Metrics](s)
	assert.Equal(t, map[string]float64{
		`controller_runtime_reconcile_total{controller="crontab",result="error"}`:   3,
		`controller_runtime_reconcile_total{controller="crontab",result="success"}`: 7,
		`workqueue_depth{controller="crontab",name="crontab"}`:                      2,
		`workqueue_queue_duration_seconds_sum{name="crontab"}`:                      1.5,
		`workqueue_queue_duration_seconds_count{name="crontab"}`:                    5,
	}, all[0].Samples)
	assert.Equal(t, 8.0, all[1].Samples[`controller_runtime_reconcile_total{controller="crontab",result="success"}`])
	mu.Lock()
	defer mu.Unlock()
	assert.GreaterOrEqual(t, asked, 4, "what did not change was recorded")
}
