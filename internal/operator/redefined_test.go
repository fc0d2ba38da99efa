// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// serveCRD has the API server have a CRD, which is the bed's as change makes it; with nil it does not exist.
func (b *bed) serveCRD() (change func(how func(*apiextv1.CustomResourceDefinition))) {
	var mu sync.Mutex
	base, version, code, text := b.CRDs[0], 0, 0, ""
	change = func(how func(*apiextv1.CustomResourceDefinition)) {
		mu.Lock()
		defer mu.Unlock()
		if how == nil {
			code = 0
			return
		}
		version++
		crd := base.DeepCopy()
		crd.APIVersion, crd.Kind, crd.ResourceVersion = "apiextensions.k8s.io/v1", "CustomResourceDefinition", strings.Repeat("1", version)
		how(crd)
		data, err := json.Marshal(crd)
		require.NoError(b, err)
		code, text = http.StatusOK, string(data)
	}
	b.api.Respond(func(r operatortest.Request) (int, string) {
		if r.Path != crdPath {
			return b.usual(r)
		}
		mu.Lock()
		defer mu.Unlock()
		return code, text
	})
	return change
}

func asItWas(*apiextv1.CustomResourceDefinition) {}

func withStatus(crd *apiextv1.CustomResourceDefinition) {
	crd.Spec.Versions[0].Subresources = &apiextv1.CustomResourceSubresources{Status: &apiextv1.CustomResourceSubresourceStatus{}}
}

func asV2(crd *apiextv1.CustomResourceDefinition) {
	crd.Spec.Versions[0].Name = "v2"
	withStatus(crd)
}

func TestTheLoopBeginsAgainWithACRDThatCameBackAsAnother(t *testing.T) {
	for _, byName := range []bool{false, true} {
		b := newBed(t)
		change := b.serveCRD()
		change(asItWas)
		if byName {
			b.CRDNames, b.CRDs = []string{"foos.example.com"}, nil
		}
		require.NoError(t, os.WriteFile(filepath.Join(b.Root, "templates", "status.yaml"), []byte("phase: known\n"), 0o644))
		end := b.start()
		b.applied(`"data":{"count":"1"}`)
		change(nil)
		b.api.At(foos).Answer(apierrors.NewNotFound(apiextv1.Resource("foos"), ""))
		b.until("trouble", func() bool {
			return b.log.Count("customresourcedefinition foos.example.com was deleted; waiting for it") == 1
		})
		b.api.At("/apis/example.com/v2/foos").Answer(nil, strings.Replace(foo, "/v1", "/v2", 1))
		b.api.Asked()
		change(asV2)
		b.until("status of the new version", func() bool {
			for _, r := range b.api.Asked() {
				if r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/v2/namespaces/default/foos/a/status") {
					return true
				}
			}
			return false
		})
		end()
		assert.Equal(t, 1, b.log.Count("CustomResourceDefinition foos.example.com changed: now Foo v2, namespaced, status subresource; restarting"), "%q", b.log.Said())
	}
}

func TestFollowCRDsTellsWhatMatters(t *testing.T) {
	for name, c := range map[string]struct {
		how     func(*apiextv1.CustomResourceDefinition)
		changed string // "" for none
	}{
		"absent":      {nil, ""},
		"as it was":   {asItWas, ""},
		"description": {func(crd *apiextv1.CustomResourceDefinition) { crd.Labels = map[string]string{"a": "b"} }, ""},
		"not served":  {func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Versions[0].Served = false }, ""},
		"status":      {withStatus, "Foo v1, namespaced, status subresource"},
		"version":     {asV2, "Foo v2, namespaced, status subresource"},
		"scope": {func(crd *apiextv1.CustomResourceDefinition) { crd.Spec.Scope = apiextv1.ClusterScoped },
			"Foo v1, cluster-scoped, no status subresource"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t)
				change := b.serveCRD()
				change(asItWas)
				f := b.followCRDs(func() bool { return false })
				time.Sleep(glance / 2)
				change(c.how)
				time.Sleep(glance)
				var changed *redefined
				assert.Equal(t, c.changed != "", errors.As(context.Cause(f.ctx), &changed), "%q", b.log.Said())
				if c.changed != "" && (len(changed.crds) != 1 || b.log.Count("CustomResourceDefinition foos.example.com changed: now "+c.changed+"; restarting") != 1) {
					t.Errorf("%q", b.log.Said())
				}
				if asked := len(b.api.Asked()); c.how != nil && asked != 2 {
					t.Errorf("%d requests", asked)
				}
				f.end()
			})
		})
	}
}

func TestFollowCRDsIsPromptWhileAKindIsNotServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		change := b.serveCRD()
		f := b.followCRDs(func() bool { return true })
		time.Sleep(time.Minute)
		change(asV2)
		time.Sleep(promptGlance)
		synctest.Wait()
		assert.ErrorIs(t, context.Cause(f.ctx), errAgain, "the new definition went unnoticed")
		f.end()
	})
}

// Without the right the loop works as it did, and who changes a CRD should know.
func TestFollowCRDsSaysOnceThatItMayNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.api.At(crdPath).Answer(apierrors.NewForbidden(apiextv1.Resource("customresourcedefinitions"), "foos.example.com", errors.New("no")))
		f := b.followCRDs(func() bool { return true })
		time.Sleep(time.Minute)
		f.end()
		if n := b.log.Count("CustomResourceDefinition foos.example.com may not be read, so changes to it go unnoticed; grant get on it, or restart after changes"); n != 1 || len(b.log.Said()) != 1 {
			t.Errorf("%q", b.log.Said())
		}
	})
}

type following struct {
	ctx context.Context
	end func()
}

// followCRDs runs it alone until end is called.
func (b *bed) followCRDs(absent func() bool) following {
	b.Helper()
	c, err := open(b.Options)
	require.NoError(b, err)
	client, err := c.definitions()
	require.NoError(b, err)
	ctx, again := context.WithCancelCause(b.Context())
	done := make(chan struct{})
	go func() { c.followCRDs(ctx, client, absent, again); close(done) }()
	return following{ctx, func() { again(nil); <-done }}
}
