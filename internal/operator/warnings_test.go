// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/stretchr/testify/assert"
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
