package loop

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

var (
	cronTab = Kind{Resource: schema.GroupVersionResource{Group: "stable.example.com", Version: "v1beta1", Resource: "crontabs"}, Kind: "CronTab", Namespaced: true}
	demo    = cache.ObjectName{Namespace: "default", Name: "crontab-demo"}
)

// cronTabObject is what the API server would send.
func cronTabObject(name, resourceVersion string, replicas int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1beta1", "kind": "CronTab",
		"metadata": map[string]any{"namespace": "default", "name": name, "uid": "uid-" + name, "resourceVersion": resourceVersion},
		"spec":     map[string]any{"cronSpec": "* * * * */5", "replicas": replicas},
	}}
}

// recording is a slog.Handler that keeps each message with its attributes, for example "Caches synced objects=2".
type recording struct {
	mu    *sync.Mutex
	lines *[]string
	attrs string
}

func newRecording() recording { return recording{mu: &sync.Mutex{}, lines: &[]string{}} }

func (r recording) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (r recording) Handle(_ context.Context, record slog.Record) error {
	line := record.Message + r.attrs
	record.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.lines = append(*r.lines, line)
	return nil
}

func (r recording) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		r.attrs += " " + a.String()
	}
	return r
}

func (r recording) WithGroup(string) slog.Handler { return r }

func (r recording) said() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(*r.lines)
}

func (r recording) count(prefix string) int {
	n := 0
	for _, line := range r.said() {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// expect compares the whole log.
func (r recording) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := r.said(); !slices.Equal(got, want) {
		t.Errorf("log:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// noEvents counts what would have been recorded.
type noEvents struct {
	mu   sync.Mutex
	uids []types.UID
}

func (e *noEvents) synced(_ Kind, object *Object) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.uids = append(e.uids, object.Meta().GetUID())
}

// reconcilerFunc is a Reconciler of one function.
type reconcilerFunc func(Request) error

func (f reconcilerFunc) Reconcile(_ context.Context, request Request) error { return f(request) }

// delta is what the FIFO would pop for one object.
func delta(kind cache.DeltaType, object any) cache.Deltas {
	return cache.Deltas{{Type: kind, Object: object}}
}

func keys(names ...string) []cache.ObjectName {
	var list []cache.ObjectName
	for _, name := range names {
		list = append(list, cache.ObjectName{Namespace: "default", Name: name})
	}
	return list
}

// queuedKeys is a queue that only collects.
type queuedKeys struct {
	mu    sync.Mutex
	names []string
}

func (q *queuedKeys) add(key cache.ObjectName) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.names = append(q.names, key.Name)
}

// expect compares what was queued since it was last called, in any order.
func (q *queuedKeys) expect(t *testing.T, when string, want ...string) {
	t.Helper()
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Sort(q.names); !slices.Equal(q.names, want) {
		t.Errorf("%s: queued %q, want %q", when, q.names, want)
	}
	q.names = nil
}
