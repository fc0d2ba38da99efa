package loop

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// specInLog is how much of a spec a log line shows, in bytes.
const specInLog = 256

// logReconciler says what it sees and does nothing else.
type logReconciler struct {
	log  *slog.Logger
	seed maphash.Seed
	mu   sync.Mutex
	last map[cache.ObjectName]sighting
}

// sighting is what is remembered of an object to tell what has changed. The spec itself would double the memory.
type sighting struct {
	uid  types.UID
	spec uint64
}

func newLogReconciler(log *slog.Logger) *logReconciler {
	return &logReconciler{log: log, seed: maphash.MakeSeed(), last: map[cache.ObjectName]sighting{}}
}

// Reconcile implements Reconciler.
func (r *logReconciler) Reconcile(_ context.Context, request Request) error {
	log := r.log.With("key", request.Key.String())
	if request.Object == nil {
		r.mu.Lock()
		delete(r.last, request.Key)
		r.mu.Unlock()
		log.Info("Key is gone from the cache")
		log.Info("Deletion handled")
		return nil
	}
	spec, err := request.Object.SpecJSON()
	if err != nil {
		return fmt.Errorf("read the spec of %s: %w", request.Key, err)
	}
	meta := request.Object.Meta()
	log = log.With("resourceVersion", meta.GetResourceVersion())
	now := sighting{uid: meta.GetUID(), spec: maphash.Bytes(r.seed, spec)}
	r.mu.Lock()
	before, known := r.last[request.Key]
	r.last[request.Key] = now
	r.mu.Unlock()
	switch {
	case !known || before.uid != now.uid: // a new UID is a new object, whose predecessor's deletion went unseen
		log.Info("Object added", "spec", cut(spec))
	case before.spec != now.spec:
		log.Info("Spec changed", "spec", cut(spec))
	case meta.GetDeletionTimestamp() != nil:
		log.Info("Deletion requested", "finalizers", meta.GetFinalizers())
	default:
		log.Info("Object changed")
	}
	return nil
}

// cut shortens text for a log line, never within a character.
func cut(text []byte) string {
	if len(text) <= specInLog {
		return string(text)
	}
	end := specInLog
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]) + "…"
}
