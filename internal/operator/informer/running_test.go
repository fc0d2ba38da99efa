// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

var cronTabs = Source{
	Resource: schema.GroupVersionResource{Group: "stable.example.com", Version: "v1beta1", Resource: "crontabs"}, Kind: "CronTab", Namespaced: true,
}

// newClient is what the loop makes, without connections.
func newClient(t *testing.T, api *operatortest.API) rest.Interface {
	t.Helper()
	config := ClientConfig(Prompt(&rest.Config{Host: "http://api.test", Transport: api}))
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	httpClient, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	client, err := rest.UnversionedRESTClientForConfigAndClient(config, httpClient)
	require.NoError(t, err)
	return client
}

// testFeed is a feed that follows the CronTabs of an API server, and what came of it.
type testFeed struct {
	*Informer
	api     *operatortest.API
	path    *operatortest.Endpoint
	log     operatortest.Log
	changed *operatortest.Names
	stop    func()
}

// startFeed runs a feed until stop is called. What objects there are is set up before.
func startFeed(t *testing.T, source Source, byOwner bool, prepare func(*operatortest.Endpoint)) *testFeed {
	t.Helper()
	f := &testFeed{api: operatortest.NewAPI(), log: operatortest.NewLog(), changed: &operatortest.Names{}}
	log := slog.New(f.log)
	f.Informer = New(newClient(t, f.api), source, byOwner, NewServer(log), log)
	f.path = f.api.At(strings.Join(f.reader.path(), "/"))
	prepare(f.path)
	f.Handle(func(before, after *object.Object) { f.changed.Add(change(before, after)) })
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		f.Run(ctx)
	}()
	f.stop = func() { cancel(); <-stopped }
	synctest.Wait()
	return f
}

// change is how the tests write a call of a handler: +a, a 1>2, -a.
func change(before, after *object.Object) string {
	switch {
	case before == nil:
		return "+" + after.Name()
	case after == nil:
		return "-" + before.Name()
	}
	return after.Name() + " " + before.ResourceVersion() + ">" + after.ResourceVersion()
}

func has(objects ...string) func(*operatortest.Endpoint) {
	return func(e *operatortest.Endpoint) { e.Answer(nil, objects...) }
}

func fails(err error) func(*operatortest.Endpoint) {
	return func(e *operatortest.Endpoint) { e.Answer(err) }
}

func key(name string) cache.ObjectName { return cache.ObjectName{Namespace: "default", Name: name} }

// within waits for the feed to have done what a change calls for.
func within(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// startless is a feed that is not run.
func startless(t *testing.T) *testFeed {
	t.Helper()
	f := &testFeed{log: operatortest.NewLog(), changed: &operatortest.Names{}}
	log := slog.New(f.log)
	f.Informer = New(nil, cronTabs, false, NewServer(log), log)
	f.Handle(func(before, after *object.Object) { f.changed.Add(change(before, after)) })
	return f
}
