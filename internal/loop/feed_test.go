package loop

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// fakeServer answers with an error, or else lists its objects and lets a watch hang until answer cuts it off.
type fakeServer struct {
	mu      sync.Mutex
	err     error
	objects []*unstructured.Unstructured
	open    *watch.FakeWatcher
}

// answer says how every later request is answered, and closes the watch.
func (s *fakeServer) answer(err error, objects ...*unstructured.Unstructured) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.objects = err, objects
	if s.open != nil {
		s.open.Stop()
		s.open = nil
	}
}

func (s *fakeServer) list(context.Context, metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	list := &unstructured.UnstructuredList{Object: map[string]any{"metadata": map[string]any{"resourceVersion": "100"}}}
	for _, object := range s.objects {
		list.Items = append(list.Items, *object.DeepCopy())
	}
	return list, nil
}

func (s *fakeServer) watch(context.Context, metav1.ListOptions) (watch.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	s.open = watch.NewFake()
	return s.open, nil
}

// startFeed runs a feed on the server until stop is called.
func startFeed(t *testing.T, api *fakeServer) (f *feed, queued *queuedKeys, log recording, stop func()) {
	f, queued, log = newTestFeed(source{list: api.list, watch: api.watch})
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		f.run(ctx)
	}()
	return f, queued, log, func() { cancel(); <-stopped }
}

// within waits for the feed to have done what a change calls for.
func within(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestFeedWaitsForACRDAndRecovers(t *testing.T) {
	missing := apierrors.NewNotFound(cronTab.Resource.GroupResource(), "")
	synctest.Test(t, func(t *testing.T) {
		api := &fakeServer{err: missing}
		f, queued, log, stop := startFeed(t, api)
		within(time.Minute)
		log.expect(t, "customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it")

		api.answer(nil, cronTabObject("a", "1", 1), cronTabObject("b", "1", 1))
		within(time.Second)
		queued.expect(t, "installed", "a", "b")

		within(20 * time.Second)
		api.answer(missing)
		within(2 * time.Second)
		queued.expect(t, "gone", "a", "b")
		if f.size() != 0 {
			t.Errorf("%d objects are stored without a CRD", f.size())
		}

		within(10 * time.Minute)
		api.answer(nil, cronTabObject("a", "1", 1))
		within(time.Second)
		queued.expect(t, "installed again", "a")
		stop()
		log.expect(t,
			"customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it",
			"customresourcedefinition crontabs.stable.example.com is installed",
			"customresourcedefinition crontabs.stable.example.com is gone; waiting for it",
			"customresourcedefinition crontabs.stable.example.com is installed",
		)
	})
}

func TestFeedKeepsItsObjectsThroughAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &fakeServer{}
		api.answer(nil, cronTabObject("changes", "1", 1), cronTabObject("goes", "1", 1), cronTabObject("stays", "1", 1))
		f, queued, log, stop := startFeed(t, api)
		within(time.Minute)
		queued.expect(t, "begun", "changes", "goes", "stays")

		api.answer(syscall.ECONNREFUSED) // which the reflector would keep to itself
		within(10 * time.Minute)
		queued.expect(t, "down")
		if f.size() != 3 {
			t.Errorf("%d objects are left of 3", f.size())
		}

		api.answer(nil, cronTabObject("changes", "2", 1), cronTabObject("new", "3", 1), cronTabObject("stays", "1", 1))
		within(time.Second)
		queued.expect(t, "back", "changes", "goes", "new")
		stop()
		log.expect(t, "API server does not answer; trying until it does err=connection refused", "API server answers again")
	})
}

func TestFeedSaysARefusalOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &fakeServer{err: apierrors.NewForbidden(cronTab.Resource.GroupResource(), "", errors.New("no"))}
		_, _, log, stop := startFeed(t, api)
		within(time.Minute)
		stop()
		if log.count("API server refuses to list; trying until it does not err=") != 1 || len(log.said()) != 1 {
			t.Errorf("%q", log.said())
		}
	})
}

func TestFeedListsAgainWhenItFellBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &fakeServer{}
		_, queued, log, stop := startFeed(t, api)
		within(time.Minute)
		api.answer(apierrors.NewResourceExpired("too old"))
		within(10 * time.Millisecond)
		api.answer(nil, cronTabObject("a", "1", 1))
		within(time.Second)
		stop()
		queued.expect(t, "listed again", "a")
		log.expect(t)
	})
}
