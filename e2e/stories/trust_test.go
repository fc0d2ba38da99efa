// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The loop comes through what happens to controllers: nothing is lost, other keys go on meanwhile, memory stays bounded and no
// goroutine is left. Each row has a loop of its own, in a process of its own, which meets several faults one after the other.
// What a hook may answer and how it may end is all in the unit tests of operator/hook and operator/composite.
func TestTrust(t *testing.T) {
	w := newWorld(t)
	_, kubeconfig := w.plane()
	hook := w.trustHook()
	for _, row := range []struct {
		name  string
		holds func(*trusted)
	}{
		{"api-server-gone", (*trusted).apiServerGone},
		{"stands-still", (*trusted).standsStill},
		{"requests-fail", (*trusted).requestsFail},
		{"conflicts", (*trusted).conflicts},
		{"hook-goes-wrong", (*trusted).hookGoesWrong},
		{"persistent-hook-goes-wrong", (*trusted).persistentHookGoesWrong},
		{"crd-again", (*trusted).crdAgain},
		{"sigterm-under-load", (*trusted).sigterm},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.holds(newTrusted(t, row.name, kubeconfig, hook))
		})
	}
}

// trustHook builds the rows' hook. A program of its own is started in a few milliseconds, which this test binary is not.
func (w *world) trustHook() string {
	w.Helper()
	hook := filepath.Join(w.TempDir(), "hook")
	out, err := exec.CommandContext(w.Context(), "go", "build", "-o", hook, "./testdata/trusthook").CombinedOutput()
	require.NoError(w, err, "build the hook: %s", out)
	return hook
}
