// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// bed is a reconciler on an API server that is a function, and what came of it. Tests run in a bubble of testing/synctest.
type bed struct {
	*testing.T
	api                *operatortest.API
	log                operatortest.Log
	decider            *decider
	handle             controller.Handle
	options            Options
	reconciler         *reconciler
	enqueued, recorded *operatortest.Names
	parents            map[cache.ObjectName]*object.Object
	respond            func(operatortest.Request) (int, string) // before the usual answers
}

var (
	deployments = Served{Resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, Kind: "Deployment", Namespaced: true}
	configMaps  = Served{Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Kind: "ConfigMap", Namespaced: true}
	roles       = Served{Resource: schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}, Kind: "ClusterRole"}
	foos        = controller.Kind{Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "foos"}, Kind: "Foo", Namespaced: true, StatusSubresource: true}
)

// inBubble runs a test on a bed of kinds of children; change sets what it is about.
func inBubble(t *testing.T, kinds []Served, test func(*bed), change ...func(*bed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bed{
			T: t, api: operatortest.NewAPI(), log: operatortest.NewLog(), decider: &decider{answers: map[hook.Op]string{hook.Sync: `{}`}},
			enqueued: &operatortest.Names{}, recorded: &operatortest.Names{}, parents: map[cache.ObjectName]*object.Object{},
		}
		client := b.client()
		var feeds sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		b.handle = controller.Handle{
			Kind: foos, Client: client,
			Record: func(_ controller.ObjectReference, kind, reason, message string) {
				b.recorded.Add(kind + " " + reason + ": " + message)
			},
			Enqueue: func(key cache.ObjectName, why string, _ *object.Object) { b.enqueued.Add(key.String() + " " + why) },
			Skip:    func(*object.Object, string) {},
			Get:     func(key cache.ObjectName) *object.Object { return b.parents[key] },
			Follow: func(s informer.Source, h informer.Handler) informer.Set {
				f := informer.New(client, s, s.Owned != nil, informer.NewServer(slog.New(b.log)), slog.New(b.log))
				f.Handle(h)
				feeds.Go(func() { f.Run(ctx) })
				return informer.Set{f}
			},
		}
		b.options = Options{Name: "demo", Children: kinds, Decider: b.decider, ReadsChildren: true, Served: NewCatalogue(client), Log: slog.New(b.log),
			Epoch: func() int64 { return 0 }, Wrote: func(string, string) {}}
		b.api.Respond(b.usual)
		for _, kind := range kinds {
			b.endpoint(kind)
		}
		for _, each := range change {
			each(b)
		}
		made, err := New(b.options)(b.handle)
		require.NoError(t, err)
		b.reconciler = made.(*reconciler)
		synctest.Wait()
		test(b)
		stop()
		feeds.Wait()
	})
}

func (b *bed) client() rest.Interface {
	config := informer.ClientConfig(informer.Prompt(&rest.Config{Host: "http://api.test", Transport: b.api}))
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, &http.Client{Transport: b.api})
	require.NoError(b, err)
	return client
}

// within waits until feeds have caught up with what the API server has: a watch that was cut is begun anew after a while.
func within() {
	time.Sleep(time.Minute)
	synctest.Wait()
}

// endpoint is where the objects of a kind are listed.
func (b *bed) endpoint(kind Served) *operatortest.Endpoint {
	return b.api.At(strings.TrimSuffix(strings.Join(pathOf(kind, cache.ObjectName{}), "/"), "/"))
}

// usual answers as an API server that has nothing, takes everything and changes nothing.
func (b *bed) usual(r operatortest.Request) (int, string) {
	if b.respond != nil {
		if code, body := b.respond(r); code != 0 {
			return code, body
		}
	}
	switch {
	case r.Method == http.MethodDelete:
		return http.StatusOK, `{"kind":"Status","apiVersion":"v1","status":"Success"}`
	case r.ContentType == "application/apply-patch+yaml":
		return http.StatusCreated, stored(r.Body, "1", 1)
	case r.Method == http.MethodPatch:
		return http.StatusOK, foo("a", `"resourceVersion":"2"`)
	case strings.Contains(r.Accept, "as=PartialObjectMetadata;") && !r.Watch():
		return notFound()
	}
	return 0, ""
}

// reconcile reconciles the object that this is the text of.
func (b *bed) reconcile(text string) (controller.Result, error) {
	b.Helper()
	o := b.parent(text)
	return b.reconciler.Reconcile(b.Context(), controller.Request{Kind: b.handle.Kind, Key: o.Key(), Object: o})
}

// expect reconciles, and compares the end of the error.
func (b *bed) expect(text, wantErr string) {
	b.Helper()
	_, err := b.reconcile(text)
	expectError(b.T, err, wantErr)
}

// answer has requests of a method for paths that end in suffix answered so, and others as usual.
func (b *bed) answer(method, suffix string, code int, body string) {
	b.respond = func(r operatortest.Request) (int, string) {
		if r.Method == method && strings.HasSuffix(r.Path, suffix) {
			return code, body
		}
		return 0, ""
	}
}

// refuse is answer with an error of the API server.
func (b *bed) refuse(method, suffix string, code int, reason string) {
	_, body := status(code, reason)
	b.answer(method, suffix, code, body)
}

// parent has the cache know a parent.
func (b *bed) parent(text string) *object.Object {
	b.Helper()
	o, err := object.Decode([]byte(text), &object.Form{APIVersion: b.handle.Kind.Resource.GroupVersion().String(), Kind: b.handle.Kind.Kind})
	require.NoError(b, err)
	b.parents[o.Key()] = o
	return o
}

// wrote compares the writes since it was last called, each as a method and a path.
func (b *bed) wrote(when string, want ...string) []operatortest.Request {
	b.Helper()
	var got []string
	var writes []operatortest.Request
	for _, r := range b.api.Asked() {
		if r.Method != http.MethodGet {
			writes = append(writes, r)
			got = append(got, r.Method+" "+r.Path)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		b.Errorf("%s: wrote\n  %s\nwant\n  %s", when, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		return make([]operatortest.Request, len(want))
	}
	return writes
}
