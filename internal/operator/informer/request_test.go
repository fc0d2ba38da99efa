// SPDX-License-Identifier: Apache-2.0

package informer

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

func TestRequestsSayWhatIsWanted(t *testing.T) {
	const partial = "application/json;as=PartialObjectMetadata"
	for _, c := range []struct {
		name            string
		change          func(*Source)
		path, selector  string
		listAs, watchAs string
	}{
		{"all", func(*Source) {}, operatortest.CronTabs, "", "application/json", "application/json"},
		{"namespace", func(s *Source) { s.Namespace = "shop" }, "/apis/stable.example.com/v1beta1/namespaces/shop/crontabs", "", "application/json", "application/json"},
		{"cluster-scoped", func(s *Source) { s.Namespaced, s.Namespace = false, "shop" }, operatortest.CronTabs, "", "application/json", "application/json"},
		{"selector", func(s *Source) { s.Selector = "a=b,c!=d" }, operatortest.CronTabs, "a=b,c!=d", "application/json", "application/json"},
		{"identity", func(s *Source) { s.Keep = object.Identity }, operatortest.CronTabs, "", partial + "List;g=meta.k8s.io;v=v1", partial + ";g=meta.k8s.io;v=v1"},
		{"core", func(s *Source) {
			s.Resource, s.Namespace = schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "shop"
		},
			"/api/v1/namespaces/shop/pods", "", "application/json", "application/json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source := cronTabs
				c.change(&source)
				f := startFeed(t, source, false, has())
				within(time.Second)
				f.stop()
				requests := f.path.Requests()
				if len(requests) != 2 || requests[0].Watch() || !requests[1].Watch() {
					t.Fatalf("%+v", requests)
				}
				for i, accept := range []string{c.listAs, c.watchAs} {
					if r := requests[i]; r.Path != c.path || r.Accept != accept || r.Query.Get("labelSelector") != c.selector {
						t.Errorf("%+v", r)
					}
				}
			})
		})
	}
}

func TestIdentityKeepsNoContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := cronTabs
		source.Keep = object.Identity
		f := startFeed(t, source, false, has(operatortest.CronTab("a", "1", 1)))
		f.path.Send("ADDED", operatortest.CronTab("b", "2", 1))
		synctest.Wait()
		f.stop()
		for _, name := range []string{"a", "b"} {
			if o := f.Get(key(name)); o == nil || !o.IsMetadataOnly() || o.UID() != "uid-"+"a" && o.UID() != "uid-b" {
				t.Errorf("%s: %+v", name, o)
			}
		}
	})
}

func TestStreamHasTheListSentAsAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := cronTabs
		source.Stream = true
		f := startFeed(t, source, false, has(operatortest.CronTab("a", "1", 1), operatortest.CronTab("b", "2", 1)))
		<-f.Synced()
		f.changed.Expect(t, "streamed", "+a", "+b")
		f.path.Send("MODIFIED", operatortest.CronTab("a", "101", 5))
		synctest.Wait()
		f.changed.Expect(t, "watched", "a 1>101")
		f.stop()
		requests := f.path.Requests()
		require.Len(t, requests, 1, "%+v", requests)
		assert.Equal(t, "true", requests[0].Query.Get("sendInitialEvents"), "%+v", requests)
	})
}

// An API server that does not know how to is asked for a list, in the same session.
func TestStreamFallsBackToAList(t *testing.T) {
	for _, refusal := range []error{
		apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", nil), apierrors.NewBadRequest("no sendInitialEvents"),
	} {
		synctest.Test(t, func(t *testing.T) {
			source := cronTabs
			source.Stream = true
			f := startFeed(t, source, false, func(e *operatortest.Endpoint) {
				e.RefuseStreams(refusal)
				e.Answer(nil, operatortest.CronTab("a", "1", 1))
			})
			within(time.Minute)
			f.changed.Expect(t, "listed", "+a")
			f.path.Send("MODIFIED", operatortest.CronTab("a", "101", 5))
			synctest.Wait()
			f.changed.Expect(t, "watched", "a 1>101")
			f.stop()
			f.log.Expect(t)
			assert.Equal(t, 3, len(f.path.Requests()), "requests; want the stream that is refused, the list and the watch")
		})
	}
}

func TestClientConfigIsFitForWatching(t *testing.T) {
	given := &rest.Config{Host: "http://api.test", Timeout: time.Minute}
	cfg := ClientConfig(given)
	if cfg.Timeout != 0 || !cfg.DisableCompression || cfg.QPS != config.DefaultLoopQPS || cfg.Burst != config.DefaultLoopBurst || cfg.UserAgent != "crdctl-loop" {
		t.Errorf("%+v", cfg)
	}
	if given.Timeout != time.Minute || given.QPS != 0 || given.UserAgent != "" || given.WrapTransport != nil {
		t.Errorf("the caller's own was changed: %+v", given)
	}
	own := &rest.Config{QPS: 5, UserAgent: "mine"}
	if cfg = ClientConfig(own); cfg.QPS != 5 || cfg.UserAgent != "mine" {
		t.Errorf("%+v", cfg)
	}
	limited := &rest.Config{RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter()}
	cfg = ClientConfig(limited)
	assert.EqualValues(t, 0, cfg.QPS, "%+v", cfg)
}

// All clients of a cluster that is not crdctl's own share one limit, and wait as long as its API server asks for.
func TestLimitedIsSharedAndPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api, log := operatortest.NewAPI(), operatortest.NewLog()
		api.SetRetryAfter("1")
		refusals := 3
		api.Respond(func(operatortest.Request) (int, string) {
			if refusals--; refusals >= 0 {
				return http.StatusTooManyRequests, "Too many requests, please try again later."
			}
			return http.StatusOK, `{}`
		})
		config := Limited(&rest.Config{Host: "http://api.test", Transport: api}, 2, 1, slog.New(log))
		config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
		get := func(config *rest.Config, n int) time.Duration {
			began := time.Now()
			for range n {
				client, err := rest.UnversionedRESTClientFor(ClientConfig(config)) // each a client of its own
				require.NoError(t, err)
				assert.NoError(t, client.Get().AbsPath("/x").Do(t.Context()).Error())
			}
			return time.Since(began)
		}
		assert.GreaterOrEqual(t, get(config, 1), 3*time.Second, "3 responses with Retry-After 1 were waited for")
		assert.Equal(t, 4, len(api.Asked()), "requests")
		log.Expect(t, "API server is busy and asks for a delay; waiting code=429 retryAfter=1 responses=1")
		if took := get(config, 5); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("5 requests at 2 a second took %s", took)
		}
		for name, config := range map[string]*rest.Config{"unlimited": Unlimited(config), "-1": Limited(Unlimited(config), -1, 1, slog.New(log)), "prompt": Prompt(config)} {
			assert.Zero(t, get(config, 500), "%s: 500 requests took", name)
		}
	})
}

func TestPromptTransportLeavesNoTimeToWait(t *testing.T) {
	api := operatortest.NewAPI()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/nothing", strings.NewReader(""))
	require.NoError(t, err)
	plain, err := api.RoundTrip(request)
	require.NoError(t, err, "the server does not say when to try again")
	require.NotEmpty(t, plain.Header.Get("Retry-After"), "the server does not say when to try again")
	transport := promptTransport{api}
	assert.Equal(t, http.RoundTripper(api), transport.WrappedRoundTripper(), "the transport beneath cannot be closed")
	response, err := transport.RoundTrip(request)
	require.NoError(t, err, "%v", response)
	assert.Empty(t, response.Header.Get("Retry-After"), "%v", response)
}
