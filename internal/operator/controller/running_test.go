// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// running is a loop on an API server, and what came of it. Its tests run in a bubble of testing/synctest, which fails
// when a goroutine is left.
type running struct {
	api    *operatortest.API
	path   *operatortest.Endpoint
	events *operatortest.Endpoint
	log    operatortest.Log
	state  State
	stop   func() error
}

// start runs a loop until stop is called; change sets what the test is about.
func start(t *testing.T, reconciler Maker, change func(*Options), objects ...string) *running {
	t.Helper()
	r := &running{api: operatortest.NewAPI(), log: operatortest.NewLog()}
	r.path, r.events = r.api.At(operatortest.CronTabs), r.api.At(operatortest.Events)
	r.path.Answer(nil, objects...)
	o := Options{
		Config: informer.Prompt(&rest.Config{Host: "http://api.test", Transport: r.api, ContentConfig: rest.ContentConfig{ContentType: "application/json"}}),
		Kinds:  []Kind{cronTab}, Reconciler: reconciler, Log: slog.New(r.log), Started: func(s State) { r.state = s },
	}
	if change != nil {
		change(&o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, o) }()
	r.stop = func() error { cancel(); return <-done }
	synctest.Wait()
	return r
}

// end stops the loop.
func (r *running) end(t *testing.T) {
	t.Helper()
	assert.NoError(t, r.stop())
}

// expectReady compares what Ready reports, "" for no error.
func (r *running) expectReady(t *testing.T, want string) {
	t.Helper()
	got := ""
	if err := r.state.Ready(); err != nil {
		got = err.Error()
	}
	assert.Equal(t, want, got, "ready")
}

// synced is how many events say that an object was synced, counted or created.
func (r *running) synced() (n int) {
	for _, request := range r.events.Requests() {
		if request.Method == http.MethodPost || request.Method == http.MethodPatch {
			n++
		}
	}
	return n
}

// reconciling is a Reconciler of one function, and how much it keeps.
type reconciling struct {
	reconcile func(context.Context, Request) (Result, error)
	keeps     Keeping
	resyncs   bool
	forgot    operatortest.Names
}

func (r *reconciling) Reconcile(ctx context.Context, request Request) (Result, error) {
	return r.reconcile(ctx, request)
}

func (r *reconciling) Keeps() Keeping { return r.keeps }

func (r *reconciling) Resyncs() bool { return r.resyncs }

func (r *reconciling) Forget(key cache.ObjectName) { r.forgot.Add(key.Name) }

// untilDone is a reconciler whose reconciles last until their context ends.
func untilDone() *reconciling {
	return &reconciling{reconcile: func(ctx context.Context, _ Request) (Result, error) {
		<-ctx.Done()
		return Result{}, ctx.Err()
	}}
}

func (r *reconciling) make(Handle) (Reconciler, error) { return r, nil }

// by reconciles by a function that needs whole objects.
func by(reconcile func(Request) error) Maker {
	r := &reconciling{reconcile: func(_ context.Context, request Request) (Result, error) { return Result{}, reconcile(request) }}
	return r.make
}

// within waits for the loop to have done what a change calls for.
func within(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// tries are the moments at which something was done.
type tries struct {
	mu sync.Mutex
	at []time.Time
}

func (t *tries) add() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = append(t.at, time.Now())
	return len(t.at)
}

// expectDoubled checks that each try came twice as late as the one before.
func (t *tries) expectDoubled(test *testing.T) {
	test.Helper()
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := 2; i < len(t.at); i++ {
		assert.Equal(test, 2*t.at[i-1].Sub(t.at[i-2]), t.at[i].Sub(t.at[i-1]), "try %d did not come twice as late as the one before: %v", i, t.at)
	}
}

func (t *tries) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.at)
}
