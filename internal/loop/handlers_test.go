package loop

import (
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

func deletedAt() *metav1.Time { return &metav1.Time{Time: time.Unix(0, 0)} }

func newTestFeed(source source) (*feed, *queuedKeys, recording) {
	log, queued := newRecording(), &queuedKeys{}
	return newFeed(cronTab, source, queued.add, &server{log: slog.New(log)}, slog.New(log), time.Minute), queued, log
}

func TestProcessQueuesWhatChanged(t *testing.T) {
	recreated := cronTabObject("a", "1", 2)
	recreated.SetUID("another")
	steps := []struct {
		name  string
		delta cache.Deltas
		want  []string
		size  int
	}{
		{"added", delta(cache.Added, cronTabObject("a", "1", 2)), []string{"a"}, 1},
		{"resync", delta(cache.Sync, cronTabObject("a", "1", 2)), nil, 1},
		{"listed again", delta(cache.Replaced, cronTabObject("a", "1", 2)), nil, 1},
		{"the same version of another object", delta(cache.Replaced, recreated), []string{"a"}, 1},
		{"updated", delta(cache.Updated, cronTabObject("a", "2", 2)), []string{"a"}, 1},
		{"tombstone", delta(cache.Deleted, cache.DeletedFinalStateUnknown{Key: "default/a", Obj: cronTabObject("a", "2", 2)}), []string{"a"}, 0},
		{"tombstone without an object", delta(cache.Deleted, cache.DeletedFinalStateUnknown{Key: "default/b"}), []string{"b"}, 0},
	}
	f, queued, _ := newTestFeed(source{})
	for _, step := range steps {
		if err := f.process(step.delta, false); err != nil {
			t.Errorf("%s: %v", step.name, err)
		}
		queued.expect(t, step.name, step.want...)
		if f.size() != step.size {
			t.Errorf("%s: %d stored, want %d", step.name, f.size(), step.size)
		}
	}
}

func TestTombstoneWithABadKeyIsDropped(t *testing.T) {
	f, queued, log := newTestFeed(source{})
	if err := f.process(delta(cache.Deleted, cache.DeletedFinalStateUnknown{Key: "a/b/c"}), false); err != nil {
		t.Fatal(err)
	}
	queued.expect(t, "bad key")
	if log.count(msgKeyDropped) != 1 {
		t.Errorf("%q", log.said())
	}
}

func TestSlim(t *testing.T) {
	object := cronTabObject("a", "1", 2)
	object.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
	object.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "mine": "kept"})
	got, err := slim(object)
	if err != nil {
		t.Fatal(err)
	}
	slimmed := got.(*unstructured.Unstructured)
	if slimmed.GetManagedFields() != nil || len(slimmed.GetAnnotations()) != 1 || slimmed.GetAnnotations()["mine"] != "kept" {
		t.Errorf("%v", slimmed.Object)
	}
	if _, err := slim(cache.DeletedFinalStateUnknown{}); err != nil {
		t.Error(err)
	}
}

func TestSpecJSON(t *testing.T) {
	withoutSpec := &Object{&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "K", "metadata": map[string]any{}, "status": "s", "rules": []any{"a && b < c"},
	}}}
	if spec, err := withoutSpec.SpecJSON(); err != nil || string(spec) != `{"rules":["a && b < c"]}` {
		t.Errorf("%s %v", spec, err)
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	long := strings.Repeat("ä", specInLog)
	for _, text := range []string{"short", long, "x" + long} {
		got := cut([]byte(text))
		if !utf8.ValidString(got) || len(got) > specInLog+len("…") || !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
			t.Errorf("%q became %q", text, got)
		}
	}
}
