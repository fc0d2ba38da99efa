// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// A group of Kubernetes itself gets no new kinds: waiting for one would never end.
func TestMistypedBuiltinKindFailsAtOnce(t *testing.T) {
	b := newBed(t)
	b.api.Respond(func(r operatortest.Request) (int, string) {
		if r.Path == "/apis/apps/v1" {
			return http.StatusOK, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"deployments","kind":"Deployment","namespaced":true}]}`
		}
		return b.usual(r)
	})
	b.Loop.Owns = []string{"apps/v1/Deploymen"}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := Run(ctx, b.Options)
	if err == nil || ctx.Err() != nil || !errors.As(err, new(neverError)) || !strings.Contains(err.Error(), "apps/v1/Deployment?") {
		t.Errorf("%v", err)
	}
}

// A kind of any other group may come; the notice of the wait is repeated.
func TestWaitIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := operatortest.NewLog()
		c := &instance{Options: Options{Log: slog.New(log)}}
		began := time.Now()
		assert.NoError(t, c.waitFor(t.Context(), "a kind", func() error {
			if time.Since(began) < 95*time.Second {
				return errors.New("not yet")
			}
			return nil
		}))
		assert.Equal(t, 4, log.Count("Waiting for a kind"), "%q", log.Said())
	})
}
