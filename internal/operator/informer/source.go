// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// Source says what to read.
type Source struct {
	Resource   schema.GroupVersionResource
	Kind       string
	Namespaced bool
	// Namespace restricts a namespaced kind to one; "" is all.
	Namespace string
	// Selector is a label selector, as in a request; "" selects all.
	Selector string
	// Keep says how much of the objects to keep. With object.Identity the API server sends no more than the metadata.
	Keep object.Keep
	// Owned, if not nil, says of which controllers objects are wanted.
	Owned func(object.Owner) bool
	// Stream asks for the first list through a watch, where the API server knows that: it then needs no memory for a
	// whole list, and both sides need two to three times the processor time.
	Stream bool
}

// Name is the resource with its group, and the name of its CRD where it has one.
func (s Source) Name() string { return s.Resource.GroupResource().String() }

// reader makes the requests of a source.
type reader struct {
	Source
	client rest.Interface
	form   *object.Form
}

func newReader(client rest.Interface, s Source) *reader {
	return &reader{Source: s, client: client, form: &object.Form{APIVersion: s.Resource.GroupVersion().String(), Kind: s.Kind}}
}

// apiVersion1 is how options of requests are written.
var apiVersion1 = schema.GroupVersion{Version: "v1"}

func (r *reader) open(ctx context.Context, options metav1.ListOptions) (*guarded, error) {
	options.LabelSelector = r.Selector
	accept := "application/json"
	if r.Keep == object.Identity {
		kind := "PartialObjectMetadataList"
		if options.Watch {
			kind = "PartialObjectMetadata"
		}
		accept = "application/json;as=" + kind + ";g=meta.k8s.io;v=v1"
	}
	ctx, cancel := context.WithCancelCause(ctx)
	patience := silence
	if options.TimeoutSeconds != nil { // a watch may be silent for as long as it lasts
		patience += time.Duration(*options.TimeoutSeconds) * time.Second
	}
	guard := time.AfterFunc(patience, func() { cancel(errSilent) })
	body, err := r.client.Get().AbsPath(r.path()...).SpecificallyVersionedParams(&options, metav1.ParameterCodec, apiVersion1).
		SetHeader("Accept", accept).Stream(ctx)
	if err != nil {
		guard.Stop()
		if errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
		cancel(nil)
		return nil, err
	}
	return &guarded{ReadCloser: body, guard: guard, patience: patience, cancel: cancel}, nil
}

// silence is how long the API server may say nothing while it is asked for something: a connection can be dead, or end in a
// proxy that waits, without an error.
const silence = time.Minute

var errSilent = fmt.Errorf("no answer within %s", silence)

// guarded is the body of an answer that has to go on coming.
type guarded struct {
	io.ReadCloser
	guard    *time.Timer
	patience time.Duration
	cancel   context.CancelCauseFunc
	broken   bool // the connection, and not what came over it
}

func (g *guarded) Read(to []byte) (int, error) {
	n, err := g.ReadCloser.Read(to)
	g.guard.Reset(g.patience)
	g.broken = g.broken || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

func (g *guarded) Close() error {
	g.guard.Stop()
	g.cancel(nil)
	return g.ReadCloser.Close()
}

func (r *reader) path() []string {
	if !r.Namespaced {
		return object.Path(r.Resource, "")
	}
	return object.Path(r.Resource, r.Namespace)
}

func (r *reader) list(ctx context.Context, options metav1.ListOptions) (*object.List, error) {
	body, err := r.open(ctx, options)
	if err != nil {
		return nil, err
	}
	list, err := object.NewDecoder(body, r.form, r.Keep, r.Owned).List()
	unread := err != nil && !body.broken
	if err = errors.Join(err, body.Close()); err != nil {
		err = fmt.Errorf("list %s: %w", r.Name(), err)
		if unread {
			err = &unreadable{err}
		}
		return nil, err
	}
	return list, nil
}

func (r *reader) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.Watch = true
	body, err := r.open(ctx, options)
	if err != nil {
		return nil, err
	}
	w := &watching{body: body, decoder: object.NewDecoder(body, r.form, r.Keep, r.Owned), events: make(chan watch.Event), stopped: make(chan struct{})}
	go w.read()
	return w, nil
}

// watching is one watch request. It is what apimachinery's StreamWatcher is, without a decoder that makes maps.
type watching struct {
	body    io.ReadCloser
	decoder *object.Decoder
	events  chan watch.Event
	stopped chan struct{}
	once    sync.Once
}

func (w *watching) ResultChan() <-chan watch.Event { return w.events }

func (w *watching) Stop() {
	w.once.Do(func() {
		close(w.stopped)
		_ = w.body.Close() // it ends the read
	})
}

// read ends with the connection. An answer that is cut off or makes no sense ends it too; the reflector then watches on from the last
// version that it saw.
func (w *watching) read() {
	defer close(w.events)
	defer w.Stop()
	for {
		event, err := w.decoder.Event()
		if err != nil {
			return
		}
		select {
		case w.events <- event:
		case <-w.stopped:
			return
		}
	}
}

// endingSession calls end at the first failing request. The reflector would keep many failures to itself (a refused
// connection, say) and back off.
func (r *reader) endingSession(end context.CancelCauseFunc, log *slog.Logger) cache.ListerWatcher {
	return listerWatcher{stream: r.Stream, ListWatch: &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := r.list(ctx, options)
			if err != nil {
				end(err)
				return nil, err
			}
			log.Debug("Reflector listed", "count", len(list.Items))
			return list, nil
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := r.watch(ctx, options)
			if err != nil {
				if options.SendInitialEvents == nil || !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
					end(err)
				} // or else the API server streams no lists, and the reflector asks for one the other way
				return nil, err
			}
			log.Debug("Reflector watches", "resourceVersion", options.ResourceVersion)
			return w, nil
		},
	}}
}

type listerWatcher struct {
	*cache.ListWatch
	stream bool
}

// IsWatchListSemanticsUnSupported is what the reflector asks before it streams a list.
func (l listerWatcher) IsWatchListSemanticsUnSupported() bool { return !l.stream }
