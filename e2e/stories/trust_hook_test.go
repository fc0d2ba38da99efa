// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
)

// goesWrong has a hook misbehave for one object; the others go on meanwhile, and after the end of it the object's last change is made.
func (r *trusted) goesWrong(loop *loop, how, said string, others []string) {
	r.Helper()
	from := len(loop.text())
	r.fault("bad", how)
	r.setAll("during "+how+said, append([]string{"bad"}, others...)...)
	r.until("the log says "+said, func() bool { return strings.Contains(loop.text()[from:], said) })
	r.reconciled(others...)
	r.setAll("still "+how, others...)
	r.reconciled(others...)
	if wrong, err := r.wrong("bad"); err == nil && wrong == "" {
		r.Errorf("%s: the object was reconciled while its hook went wrong", how)
	}
	r.noFault("bad")
	r.reconciled(append([]string{"bad"}, others...)...)
}

// begin starts a loop with some objects, one of which is to go wrong, and returns what it has at rest and the other objects.
func (r *trusted) begin(args ...string) (of *loop, before spent, others []string) {
	r.Helper()
	of, others = r.runLoop(r.kubeconfig, append(args, "--hook-timeout", "2s")...), names(8)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	return of, of.spends(), others
}

// hookGoesWrong has a program that is started for each call crash, hang, hang without its children, answer rubbish and flood.
func (r *trusted) hookGoesWrong() {
	loop, before, others := r.begin()
	r.keyThatFails(loop, others)
	r.goesWrong(loop, "exit", "it ended with exit status 1; its last line on stderr was", others)
	r.goesWrong(loop, "hang", "no answer within 2s", others)
	r.goesWrong(loop, "hangalone", "no answer within 2s", others)
	r.givesRubbish(loop, others)
	loop.isAsBefore(before, 64)
	r.onlyLoopRuns()
	r.printsHuge(loop, others)
	loop.ends()
}

// onlyLoopRuns holds that no process of a hook was left. A late event may still have one asked.
func (r *trusted) onlyLoopRuns() {
	r.Helper()
	r.until("only the loop runs", func() bool { return len(r.processes()) == 1 }, func() string { return strings.Join(r.processes(), "\n") })
}

// keyThatFails counts how often a key that fails is tried: as often as the back-off allows, and not more.
func (r *trusted) keyThatFails(loop *loop, others []string) {
	r.Helper()
	r.fault("bad", "exit")
	began := time.Now()
	r.setAll("second", "bad")
	r.setAll("meanwhile", others...)
	r.reconciled(others...)
	failures := regexp.MustCompile(`Reconcile failed; retrying with back-off.*key=` + r.namespace + `/bad .*failures=(\d+)`)
	tried := 0 // as the last line tells: those that are the same are left out
	r.until("it failed seven times", func() bool {
		for _, each := range failures.FindAllStringSubmatch(loop.text(), -1) {
			n, err := strconv.Atoi(each[1])
			r.check(err)
			tried = max(tried, n)
		}
		return tried >= 7
	})
	// The waits are 5 ms, 10 ms, 20 ms and so on: n tries take 5 ms · (2ⁿ⁻¹ - 1) at least.
	if most := 1 + int(math.Log2(1+time.Since(began).Seconds()/0.005)); tried > most {
		r.Errorf("tried %d times within %s; back-off allows %d", tried, time.Since(began), most)
	}
	r.noFault("bad")
	r.reconciled()
	r.setAll("third", "bad") // and from the beginning again
	r.reconciled()
}

// persistentHookGoesWrong has one request hang in a process that answers others, which is not killed for it, then all; has the
// process killed from outside and crash by one object, answer rubbish and flood.
func (r *trusted) persistentHookGoesWrong() {
	loop, before, others := r.begin("--hook-persistent")
	hook := r.hookPID(loop)
	r.fault("bad", "hangalone")
	r.setAll("second", "bad")
	for round, hung := 0, false; !hung; round++ {
		r.setAll(fmt.Sprintf("round-%d", round), others...)
		r.reconciled(others...)
		hung = strings.Contains(loop.text(), "no answer within 2s")
	}
	assert.Equal(r, hook, r.hookPID(loop), "a process that answers was killed for one request that hangs")
	r.noFault("bad")
	r.reconciled()

	for _, name := range others {
		r.fault(name, "hang")
	}
	r.setAll("third", others...)
	loop.waitFor("it did not answer for 2s and was killed")
	for _, name := range others {
		r.noFault(name)
	}
	r.reconciled()

	for round := range 2 {
		pid := r.hookPID(loop)
		r.setAll(fmt.Sprintf("killed-%d", round), others...)
		r.check(syscall.Kill(pid, syscall.SIGKILL))
		r.setAll(fmt.Sprintf("again-%d", round), others...)
		loop.waitFor("Hook process ended; restarting")
		r.reconciled()
		assert.NotEqual(r, pid, r.hookPID(loop), "the process was killed and is there")
	}

	// One object that crashes the process takes the answers of others with it: they are asked for again.
	r.fault("bad", "exit")
	r.setAll("crash", append([]string{"bad"}, others...)...)
	loop.waitFor("the process ended before it answered")
	r.reconciled(others...)
	r.noFault("bad")
	r.reconciled()
	r.givesRubbish(loop, others)
	loop.isAsBefore(before, 64)
	r.printsHuge(loop, others)
	loop.ends()
}
