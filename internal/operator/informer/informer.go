// SPDX-License-Identifier: Apache-2.0

// Package informer follows the objects of one kind: it keeps their last known state in memory and tells of every change.
//
// It is client-go's pipeline (Reflector → FIFO of deltas → store → handlers) with a decoder, a store and a way of its own
// to come back after trouble. It knows no work queue and no reconciler.
package informer

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 500 * time.Millisecond
)

// Handler is told of every change: before is nil for a new object, after is nil for one that is gone. It is called from
// one goroutine and must not wait.
type Handler func(before, after *object.Object)

// Informer follows one kind.
//
// A reflector left to itself backs off to 30 seconds or more, and then a CRD that comes late is noticed late. So
// an informer here lives for one session: from a successful list to the first error. The store outlives it: what did not
// change in the meantime is not reported, and what vanished is a deletion.
type Informer struct {
	reader *reader
	server *Server
	log    *slog.Logger

	mu       sync.Mutex // held while a change is stored and told
	handlers []Handler
	store    *store
	synced   chan struct{} // closed after the first successful list
	first    sync.Once
	absent   atomic.Bool // the API server does not serve the kind
	trouble  trouble
	trace    *pipeline.Trace // nil if nothing is recorded
}

// New makes a feed that runs when Run is called. ByOwner allows OwnedBy.
func New(client rest.Interface, source Source, byOwner bool, server *Server, log *slog.Logger) *Informer {
	return &Informer{
		reader: newReader(client, source), server: server, log: log,
		store: newStore(byOwner), synced: make(chan struct{}),
	}
}

// Record has what becomes of deliveries recorded. It is for before Run.
func (f *Informer) Record(t *pipeline.Trace) {
	f.trace = t
	t.Follow(f.reader.Resource, f.reader.Kind, f.reader.Namespaced)
}

// Source is what the feed reads.
func (f *Informer) Source() Source { return f.reader.Source }

// Handle adds a handler, and tells it of all objects that are known already.
func (f *Informer) Handle(h Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handlers = append(f.handlers, h)
	for _, o := range f.store.all() {
		h(nil, o)
	}
}

// Get returns the last known state of an object, nil if there is none.
func (f *Informer) Get(key cache.ObjectName) *object.Object { return f.store.get(key) }

// OwnedBy returns the objects that this owner controls.
func (f *Informer) OwnedBy(owner types.UID) []*object.Object { return f.store.ownedBy(owner) }

// Keys are the keys of all objects, and All the objects, at this moment.
func (f *Informer) Keys() []cache.ObjectName { return f.store.keys() }

// All returns all objects.
func (f *Informer) All() []*object.Object { return f.store.all() }

// Size is the number of objects.
func (f *Informer) Size() int { return f.store.size() }

// Synced is closed when the objects are known for the first time.
func (f *Informer) Synced() <-chan struct{} { return f.synced }

// Absent tells that the API server answered last that it does not serve the kind.
func (f *Informer) Absent() bool { return f.absent.Load() }

// Evict gives back the memory of an object's content, if it is still the current state: who calls it has read it, and
// only needs to know when there is another one.
func (f *Informer) Evict(o *object.Object) {
	if !o.IsMetadataOnly() {
		f.store.replace(o, o.MetadataOnly())
	}
}

// Run follows the kind until ctx is done, through as many sessions as it takes.
func (f *Informer) Run(ctx context.Context) {
	retry := firstRetry
	for {
		synced, cause := f.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if synced {
			retry = firstRetry
		}
		f.note(cause)
		f.trace.Relist(f.reader.Resource, f.reader.Kind, f.reader.Namespace, f.reader.Selector, cause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
		retry = min(2*retry, lastRetry)
	}
}

// session runs one informer until ctx is done or a request fails; cause is that failure.
func (f *Informer) session(ctx context.Context) (synced bool, cause error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	// A list comes out of the FIFO as one delta: the store is replaced in one step, and a list of 50,000 is not 50,000 deltas.
	fifo := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{AtomicEvents: true, UnlockWhileProcessing: true})
	informer := cache.New(&cache.Config{
		Queue:         fifo,
		ListerWatcher: f.reader.endingSession(end, f.log),
		Process:       f.process,
		ObjectType:    &object.Object{},
		WatchErrorHandlerWithContext: func(_ context.Context, _ *cache.Reflector, err error) {
			end(err)
		},
	})
	var waiter sync.WaitGroup
	waiter.Go(func() {
		select {
		case <-informer.HasSyncedChecker().Done(): // WaitForCacheSync would poll every 100 ms
			synced = true
			f.noteSynced()
		case <-ctx.Done():
		}
	})
	informer.RunWithContext(ctx)
	waiter.Wait()
	return synced, context.Cause(ctx)
}
