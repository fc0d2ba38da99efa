// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// start runs the controller until the test ends it.
func (b *bed) start() (end func()) {
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, b.Options) }()
	return func() {
		b.Helper()
		stop()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			b.Error(err)
		}
	}
}

func TestTemplatesAreApplied(t *testing.T) {
	b := newBed(t)
	end := b.start()
	b.applied(`"data":{"count":"1"}`)
	b.template(strings.Replace(oneMap, `"1"`, `"changed"`, 1))
	b.applied(`"data":{"count":"changed"}`)
	end()
	assert.Zero(t, b.log.Count("The templates now read children"), "the loop began again")
	for _, r := range b.api.At(maps).Requests() {
		assert.Contains(t, r.Accept, "PartialObjectMetadata", "Accept of whole children")
	}
}

// Only then are whole children in memory.
func TestTheLoopBeginsAgainWhenTemplatesReadChildren(t *testing.T) {
	b := newBed(t)
	end := b.start()
	b.applied(`"data":{"count":"1"}`)
	b.template(strings.Replace(oneMap, `"1"`, `"{{ len (index .children "ConfigMap.v1") }} seen"`, 1))
	b.applied(`"data":{"count":"0 seen"}`)
	end()
	assert.Equal(t, 1, b.log.Count("The templates now read children"), "the loop began again: times")
	requests := b.api.At(maps).Requests()
	assert.Equal(t, "application/json", requests[len(requests)-1].Accept, "Accept of the children")
}

// What the templates are when the loop is made counts: they may have changed before the watch began.
func TestFollowChangesBeginsAgainWhenMoreIsRead(t *testing.T) {
	b := newBed(t)
	c, err := open(b.Options)
	require.NoError(t, err)
	for _, read := range []bool{false, true} {
		ctx, again := context.WithCancelCause(t.Context())
		changed := make(chan struct{}, 1)
		changed <- struct{}{}
		done := make(chan struct{})
		go func() { c.followChanges(ctx, changing{changed: changed}, read, again); close(done) }()
		if !read {
			<-done
			assert.ErrorIs(t, context.Cause(ctx), errAgain, "bare children for a decider that reads them")
			continue
		}
		b.until("epoch", func() bool { return c.epoch.Load() == 1 })
		again(nil)
		<-done
	}
}

// changing is a hook, which reads children.
type changing struct {
	hook.Decider
	changed chan struct{}
}

func (c changing) Changed() <-chan struct{} { return c.changed }

// In a pod the probes must answer while a CRD or a kind of children is waited for, or the kubelet ends it again and again.
func TestProbesAnswerWhileACRDIsWaitedFor(t *testing.T) {
	b := newBed(t)
	b.CRDNames, b.CRDs, b.MetricsAddr = []string{"foos.example.com"}, nil, "127.0.0.1:0"
	end := b.start()
	b.until("waiting for the CRD", func() bool { return b.log.Count("Waiting for customresourcedefinition foos.example.com") == 1 })
	address := ""
	b.until("address", func() bool {
		for _, line := range b.log.Said() {
			if rest, ok := strings.CutPrefix(line, "Serving metrics and probes address="); ok {
				address = rest
			}
		}
		return address != ""
	})
	for path, want := range map[string]string{"/healthz": "200 ", "/readyz": "503 the loop has not started"} {
		if got, err := get("http://" + address + path); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, %v; want %s", path, got, err, want)
		}
	}
	end()
}

func TestWhatIsNotThereIsWaitedFor(t *testing.T) {
	b := newBed(t)
	b.Loop.Owns = []string{"late.example.com/v1/Thing"}
	b.template(strings.Replace(strings.Replace(oneMap, "v1\n", "late.example.com/v1\n", 1), "ConfigMap", "Thing", 1))
	end := b.start()
	b.until("waiting for the kind", func() bool {
		return b.log.Count("Waiting for the API server to serve late.example.com/v1/Thing err=the API server does not serve Thing in late.example.com/v1") == 1
	})
	b.api.At("/apis/late.example.com/v1/things")
	b.api.At("/apis/late.example.com").Answer(nil)
	b.api.Respond(func(r operatortest.Request) (int, string) {
		switch {
		case r.Path == "/apis/late.example.com/v1":
			return http.StatusOK, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"late.example.com/v1","resources":[{"name":"things","kind":"Thing","namespaced":true}]}`
		case strings.HasSuffix(r.Path, "/things/a") && r.Method == http.MethodGet:
			return http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`
		}
		return b.usual(r)
	})
	b.applied(`"kind":"Thing"`)
	end()
}

func TestRunRefusesToWorkOnNothing(t *testing.T) {
	b := newBed(t)
	b.CRDs = nil
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	assert.ErrorContains(t, Run(ctx, b.Options), "no CustomResourceDefinition to work on")
}
