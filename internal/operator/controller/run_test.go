// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
)

func keyOf(name string) cache.ObjectName { return cache.ObjectName{Namespace: "default", Name: name} }

var (
	others = Kind{Resource: schema.GroupVersionResource{Group: "other.example.com", Version: "v1", Resource: "others"}, Kind: "Other", Namespaced: false}
	// pods are followed by the reconcilers of the tests.
	pods = informer.Source{Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: "Pod", Namespaced: true}
)

const podsPath = "/api/v1/pods"

func TestRunRefusesAKindTwice(t *testing.T) {
	err := Run(t.Context(), Options{Log: slog.New(operatortest.NewLog()), Config: &rest.Config{}, Kinds: []Kind{cronTab, cronTab}})
	assert.ErrorContains(t, err, "crontabs.stable.example.com is named twice; name it once")
}

// The bubble fails if the queues or feeds that were made by then are still at work.
func TestRunEndsWhenAReconcilerCannotBeMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		r := start(t, func(h Handle) (Reconciler, error) {
			if made++; made == 2 {
				return nil, errors.New("no hook")
			}
			h.Follow(pods, func(_, _ *object.Object) {})
			return newLogReconciler(slog.New(slog.DiscardHandler)), nil
		}, func(o *Options) { o.Kinds = append(o.Kinds, others) })
		assert.EqualError(t, r.stop(), "start the control loop of Other: no hook")
	})
}

func TestResyncOnlyWhereTheReconcilerWantsIt(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var done tries
			reconciler := &reconciling{resyncs: wanted, reconcile: func(context.Context, Request) (Result, error) {
				done.add()
				return Result{}, nil
			}}
			r := start(t, reconciler.make, func(o *Options) { o.Resync = time.Minute }, append(one("a"), one("b")...)...)
			within(10*time.Minute + 30*time.Second)
			r.end(t)
			n := done.count()
			if !wanted && n != 2 || wanted && (n < 2+2*8 || n > 2+2*10) { // each in each period, at a moment of its own
				t.Errorf("wanted %v: %d reconciles", wanted, n)
			}
		})
	}
}

func TestNamespacesAreFollowedEachForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := &operatortest.Names{}
		r := start(t, by(func(r Request) error { done.Add(r.Kind.Kind + " " + r.Key.String()); return nil }), func(o *Options) {
			o.Namespaces, o.Selector, o.Kinds = []string{"default", "shop"}, "app=x", append(o.Kinds, others)
		})
		cronTabs := func(namespace string) *operatortest.Endpoint {
			return r.api.At("/apis/stable.example.com/v1beta1/namespaces/" + namespace + "/crontabs")
		}
		cronTabs("default").Answer(nil, one("a")...)
		within(time.Second)
		done.Expect(t, "one namespace is not known yet")
		r.expectReady(t, "crontabs.stable.example.com are not known yet\nothers.other.example.com are not known yet")
		cronTabs("shop").Answer(nil, strings.Replace(operatortest.CronTab("a", "1", 1), "default", "shop", 1))
		r.api.At("/apis/other.example.com/v1/others").Answer(nil, `{"metadata":{"name":"o","uid":"u","resourceVersion":"1"}}`)
		within(time.Second)
		done.Expect(t, "all are known", "CronTab default/a", "CronTab shop/a", "Other o")
		r.expectReady(t, "")
		assert.Equal(t, "map[crontabs.stable.example.com:2 others.other.example.com:1]", fmt.Sprint(r.state.Sizes()))
		r.end(t)
		assert.Zero(t, len(r.path.Requests()), "requests for all namespaces")
		for _, request := range cronTabs("shop").Requests() {
			assert.Equal(t, "app=x", request.Query.Get("labelSelector"), "%+v", request)
		}
	})
}

func TestWaitingCountsTheKeysThatNoWorkerHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := start(t, by(func(Request) error { <-release; return nil }), func(o *Options) { o.Workers = 1 },
			operatortest.CronTab("a", "1", 1), operatortest.CronTab("b", "2", 1), operatortest.CronTab("c", "3", 1))
		within(time.Second)
		assert.Equal(t, 2, r.state.Waiting())
		close(release)
		within(time.Second)
		assert.Zero(t, r.state.Waiting())
		r.end(t)
	})
}

func TestReadyTellsAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil, nil, one("a")...)
		within(time.Second)
		r.expectReady(t, "")
		r.path.Answer(apierrors.NewServiceUnavailable("going down"))
		within(time.Second)
		r.expectReady(t, "the API server does not answer")
		r.path.Answer(nil, one("a")...)
		within(time.Second)
		r.expectReady(t, "")
		r.end(t)
	})
}

func TestKeepsIdentityHasNoContentSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bare := &operatortest.Names{}
		reconciler := &reconciling{keeps: KeepsIdentity, reconcile: func(_ context.Context, r Request) (Result, error) {
			if r.Object.IsMetadataOnly() {
				bare.Add(r.Key.Name)
			}
			return Result{}, nil
		}}
		r := start(t, reconciler.make, nil, one("a")...)
		within(time.Second)
		r.end(t)
		bare.Expect(t, "reconciled", "a")
		assert.Contains(t, r.path.Requests()[0].Accept, "as=PartialObjectMetadataList")
	})
}

func TestHandleGetsAndEnqueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handle Handle
		done := &operatortest.Names{}
		r := start(t, func(h Handle) (Reconciler, error) {
			handle = h
			return by(func(r Request) error { done.Add(r.Key.Name); return nil })(h)
		}, nil, append(one("a"), one("b")...)...)
		within(time.Second)
		done.Expect(t, "begun", "a", "b")
		if o := handle.Get(keyOf("b")); o == nil || o.UID() != "uid-b" || handle.Get(keyOf("c")) != nil {
			t.Errorf("%v", o)
		}
		handle.Enqueue(keyOf("a"), pipeline.Child, nil)
		within(time.Second)
		done.Expect(t, "enqueued", "a")
		r.state.EnqueueAll(pipeline.Hook, nil)
		within(time.Second)
		done.Expect(t, "all", "a", "b")
		r.end(t)
	})
}

// The same on connections: those of net/http are goroutines too, which no bubble sees.
func TestRunLeavesNoGoroutineBehind(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, `{"kind":"CronTabList","apiVersion":"stable.example.com/v1beta1","metadata":{"resourceVersion":"1"},"items":[`+operatortest.CronTab("a", "1", 1)+`]}`)
	}))
	defer server.Close()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	working, done := make(chan struct{}), make(chan error)
	go func() {
		done <- Run(ctx, Options{
			Config: &rest.Config{Host: server.URL}, Kinds: []Kind{cronTab}, Log: slog.New(slog.DiscardHandler), NoEvents: true,
			Reconciler: by(func(Request) error { close(working); return nil }),
		})
	}()
	<-working
	cancel()
	require.NoError(t, <-done)
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
}
