package loop

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 500 * time.Millisecond
)

// feed keeps the objects of one kind in memory and hands on the keys of those that changed. It is the seam behind which
// the informer can be replaced: the rest of the package only calls run, get and size, waits for synced, and is called
// with keys.
//
// A reflector left to itself backs off to 30 seconds or more, and then a CRD that comes late is noticed late. So
// an informer here lives for one session: from a successful list to the first error. The store outlives it, and the
// next informer starts from the store: what did not change is no news, and what vanished meanwhile is a deletion.
type feed struct {
	kind    Kind
	source  source
	enqueue func(cache.ObjectName)
	server  *server
	log     *slog.Logger
	resync  time.Duration

	store   cache.Store
	synced  chan struct{} // closed after the first successful list
	first   sync.Once
	trouble trouble
}

func newFeed(kind Kind, source source, enqueue func(cache.ObjectName), server *server, log *slog.Logger, resync time.Duration) *feed {
	return &feed{
		kind: kind, source: source, enqueue: enqueue, server: server, log: log, resync: resync,
		store:  cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc),
		synced: make(chan struct{}),
	}
}

// get returns the last known state of an object, nil if there is none.
func (f *feed) get(key cache.ObjectName) *Object {
	stored, exists, err := f.store.GetByKey(key.String())
	if err != nil || !exists {
		return nil
	}
	object, ok := stored.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	return &Object{object}
}

func (f *feed) size() int { return len(f.store.ListKeys()) }

// run follows the kind until ctx is done, through as many sessions as it takes.
func (f *feed) run(ctx context.Context) {
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
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
		retry = min(2*retry, lastRetry)
	}
}

// session runs one informer until ctx is done or a request fails; cause is that failure.
func (f *feed) session(ctx context.Context) (synced bool, cause error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	fifo := cache.NewRealFIFOWithOptions(cache.RealFIFOOptions{KnownObjects: f.store, Transformer: slim})
	informer := cache.New(&cache.Config{
		Queue:            fifo,
		ListerWatcher:    f.source.endingSession(end, f.log),
		Process:          f.process,
		ObjectType:       &unstructured.Unstructured{},
		FullResyncPeriod: f.resync,
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
