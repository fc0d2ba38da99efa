// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

func TestWarningsAreToldOnce(t *testing.T) {
	log := operatortest.NewLog()
	w := &warnings{log: slog.New(log), told: map[string]bool{}}
	for range 2 {
		w.HandleWarningHeaderWithContext(t.Context(), 299, "-", `unknown field "status.pods"`)
	}
	w.HandleWarningHeaderWithContext(t.Context(), 199, "-", "a proxy's")
	w.HandleWarningHeaderWithContext(t.Context(), 299, "-", "")
	log.Expect(t, `The API server warns warning=unknown field "status.pods"`)
	for n := range 2 * mostWarnings {
		w.HandleWarningHeaderWithContext(t.Context(), 299, "-", fmt.Sprint(n))
	}
	assert.Len(t, w.told, mostWarnings, "are remembered")
}

// warned is a transport to an API server that warns of what is written.
type warned struct{ http.RoundTripper }

func (w warned) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := w.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/configmaps/") {
		response.Header.Set("Warning", `299 - "unknown field \"data.more\""`)
	}
	return response, err
}

// The reconciler writes with a client of its own.
func TestWarningsOfWritesAreLogged(t *testing.T) {
	b := newBed(t)
	b.Config.Wrap(func(next http.RoundTripper) http.RoundTripper { return warned{next} })
	defer b.start()()
	b.until("warning", func() bool { return b.log.Count("The API server warns") == 1 })
}
