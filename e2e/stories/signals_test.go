// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Ctrl-C at any moment of the start: the run ends, and nothing is left.
func TestInterruptedStart(t *testing.T) {
	w := newWorld(t)
	dir := w.dir
	w.check(os.CopyFS(dir, os.DirFS("testdata/small")))
	interrupted := func(t *testing.T, moment func(run *process)) {
		step := newLoneWorld(t)
		run := step.start(dir, crdctl, "run")
		moment(run)
		code := run.interrupt()
		// Before main is reached, the signal's own effect ends the process, with nothing begun: nothing was printed. How long it
		// takes until main is the machine's affair.
		if code != 0 && (code != -1 || run.text() != "") {
			t.Errorf("exit code %d", code)
		}
		for _, word := range []string{"goroutine ", "panic"} {
			assert.NotContains(t, run.text(), word)
		}
		step.leavesNothing(dir)
	}
	for _, after := range []time.Duration{0, 60, 400} {
		t.Run(fmt.Sprintf("%dms", after), func(t *testing.T) {
			interrupted(t, func(*process) { time.Sleep(after * time.Millisecond) })
		})
	}
	for _, said := range []string{"crdctl: starting the control plane", "crdctl: control plane ready in ", "crdctl: building the controller"} {
		t.Run(said, func(t *testing.T) {
			interrupted(t, func(run *process) { run.waitFor(said) })
		})
	}
}
