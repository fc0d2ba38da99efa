// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/text"
)

// specInLog is how much of a spec a log line shows, in bytes.
const specInLog = 256

// Log makes reconcilers that say what they see and do nothing else.
func Log(log *slog.Logger) Maker {
	return func(h Handle) (Reconciler, error) { return newLogReconciler(log.With("kind", h.Kind.Kind)), nil }
}

type logReconciler struct {
	log *slog.Logger
	// silent means that its log is not shown: then there is nothing to read of an object but that it is there.
	silent bool
	seed   maphash.Seed
	mu     sync.Mutex
	last   map[uint64]sighting // by the sum of the key: keys themselves would take more memory than all else
}

// sighting is what is remembered of an object to tell what has changed: sums of its UID and its spec.
type sighting struct{ uid, spec uint64 }

func newLogReconciler(log *slog.Logger) *logReconciler {
	return &logReconciler{
		log: log, silent: !log.Enabled(context.Background(), slog.LevelInfo), seed: maphash.MakeSeed(), last: map[uint64]sighting{},
	}
}

func (r *logReconciler) Keeps() Keeping {
	if r.silent {
		return KeepsIdentity
	}
	return KeepsUntilReconciled
}

func (r *logReconciler) Resyncs() bool { return false }

func (r *logReconciler) sum(key cache.ObjectName) uint64 { return maphash.Comparable(r.seed, key) }

func (r *logReconciler) Forget(key cache.ObjectName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.last, r.sum(key))
}

func (r *logReconciler) Reconcile(_ context.Context, request Request) (Result, error) {
	if r.silent {
		return Result{}, nil
	}
	key := r.sum(request.Key)
	if request.Object == nil {
		r.Forget(request.Key)
		log := r.log.With("key", request.Key.String())
		log.Info("Key is gone from the cache")
		log.Info("Deletion handled")
		return Result{}, nil
	}
	if request.Object.IsMetadataOnly() {
		return Result{Quiet: true}, nil // it was reconciled in this version
	}
	spec := request.Object.Spec()
	now := sighting{uid: maphash.String(r.seed, string(request.Object.UID())), spec: maphash.String(r.seed, spec)}
	r.mu.Lock()
	before, known := r.last[key]
	r.last[key] = now
	r.mu.Unlock()
	log := r.log.With("key", request.Key.String(), "resourceVersion", request.Object.ResourceVersion())
	switch {
	case !known || before.uid != now.uid: // a new UID is a new object, whose predecessor's deletion went unseen
		log.Info("Object added", "spec", text.Shorten(spec, specInLog))
	case before.spec != now.spec:
		log.Info("Spec changed", "spec", text.Shorten(spec, specInLog))
	case request.Object.Deleting():
		meta, err := request.Object.Meta()
		if err != nil {
			return Result{}, fmt.Errorf("reconcile %s: %w", request.Key, err)
		}
		log.Info("Deletion requested", "finalizers", meta.Finalizers)
	default:
		log.Info("Object changed")
	}
	return Result{}, nil
}
