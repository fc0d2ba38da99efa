// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/crdctl/crdctl/internal/trace"
)

// asked counts the questions for kinds, none of which it knows.
type asked struct {
	discovery.ServerResourcesInterfaceWithContext

	err     error
	n       int
	endless int // the questions without a deadline: client-go asks again and again where connections break
}

// ServerResourcesForGroupVersionWithContext implements discovery.ServerResourcesInterfaceWithContext.
func (a *asked) ServerResourcesForGroupVersionWithContext(ctx context.Context, _ string) (*metav1.APIResourceList, error) {
	a.n++
	if _, ok := ctx.Deadline(); !ok {
		a.endless++
	}
	return nil, a.err
}

// The only worker does not wait for each API group of a server that does not answer, and for none when the recording ends.
func TestServerThatDoesNotAnswerIsNotAskedOn(t *testing.T) {
	missing := apierrors.NewNotFound(schema.GroupResource{}, "x")
	for _, c := range []struct {
		err    error
		closed bool
		want   int
	}{{err: missing, want: 3}, {err: &url.Error{Err: context.DeadlineExceeded}, want: 1}, {err: missing, closed: true, want: 0}} {
		kinds := &asked{err: c.err}
		r := New(Options{Sink: discard{trace.NewDefs(func(*trace.Def) {})}}, "admin", "controller", "system")
		w := newWorker(r, kinds)
		r.closed = c.closed
		for _, group := range []string{"a", "b", "c"} {
			assert.NotZero(t, w.resources.id(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "x"}))
		}
		assert.Equal(t, c.want, kinds.n)
		assert.Zero(t, kinds.endless)
	}
}
