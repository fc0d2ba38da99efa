// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
)

// apiServerGone stops a control plane for some seconds while it is written to, and starts it again with its data and port.
func (r *trusted) apiServerGone() {
	dir := filepath.Join(r.dir, "plane")
	r.check(os.Mkdir(dir, 0o755))
	r.write(filepath.Join(dir, "crd.yaml"), otherCRD)
	start := func() *process {
		plane := r.start(dir, crdctl, "run", "--builtin", "-f", "crd.yaml", "--data-dir", "data")
		plane.waitFor("Started workers")
		return plane
	}
	plane := start()
	r.use(filepath.Join(dir, "data", "kubeconfig"))
	loop := r.runLoop(r.kubeconfig)
	all := names(30)
	r.setAll("first", all...)
	r.reconciled()
	before := loop.spends()
	assert.Equal(r, "ok", loop.get("/readyz"), "/readyz")

	// It goes while it is written to, and while the loop is at work.
	ctx, cancel := context.WithCancel(r.Context())
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			_ = r.set(all[i%len(all)], fmt.Sprintf("last-%d", i)) // it fails when the API server has gone
		}
	})
	time.Sleep(500 * time.Millisecond) // of writing
	r.end(plane)
	cancel()
	writer.Wait()
	loop.waitFor("API server does not answer; retrying")
	said := len(loop.text())
	during(10*time.Second, func() {
		assert.Contains(r, loop.get("/readyz"), "the API server does not answer", "/readyz: while the API server is gone")
		assert.Equal(r, "ok", loop.get("/healthz"), "/healthz: a restart of the loop would not help")
	})
	assert.NotContains(r, loop.text()[said:], "API server does not answer", "that it does not answer is logged again")

	plane = start()
	loop.waitFor("API server answers again")
	r.reconciled()
	r.until("it is ready again", func() bool { return loop.get("/readyz") == "ok" })
	r.setAll("second", all...)
	r.reconciled()
	loop.isAsBefore(before, 64)
	r.end(loop.process, plane)
}

// stoodStill is longer than a hook may take.
const stoodStill = 6 * time.Second

// standsStill stops the process while the clock goes on, as where a machine sleeps: to the process, the clock jumps forward. What
// changed meanwhile is made up for. (That the time of day is set is internal/run's to notice, and replicas that share keys are package
// shard's.)
func (r *trusted) standsStill() {
	loop := r.runLoop(r.kubeconfig, "--hook-persistent", "--hook-timeout", "5s")
	all := names(30)
	r.setAll("first", all...)
	r.reconciled()
	before := loop.spends()

	for _, at := range []string{"slow:300ms", ""} { // in the middle of a call that will have timed out, and at rest
		if at != "" {
			r.fault(all[9], at)
			r.setAll("in a call", all[9])
		}
		loop.signal(syscall.SIGSTOP)
		stopped := time.Now()
		r.setAll("second"+at, all[:20]...)
		r.setAll("third"+at, all[:10]...)
		r.check(r.things().Delete(r.Context(), all[0], deleteAtOnce))
		r.check(r.things().Delete(r.Context(), all[25], deleteAtOnce))
		r.setAll("again"+at, all[0])
		time.Sleep(time.Until(stopped.Add(stoodStill))) // what is tested
		if at != "" {
			r.noFault(all[9])
		}
		assert.Equal(r, "T", loop.state(), "the process is in state: %s, want T: it was not to run at all", stoodStill)
		if wrong, err := r.wrong(); err == nil && wrong == "" {
			r.Error("all is done, and the process stands still")
		}
		loop.signal(syscall.SIGCONT)
		r.reconciled()
		r.setAll("back", all[25])
		r.reconciled()
	}
	loop.isAsBefore(before, 64)
	loop.ends()
}

// state is the letter that /proc has for what a process does.
func (l *loop) state() string {
	l.Helper()
	stat, err := os.ReadFile(l.proc("stat"))
	l.row.check(err)
	_, after, _ := strings.Cut(string(stat), ") ") // pid (name) state
	return after[:1]
}
