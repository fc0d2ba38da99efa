package stories

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// goesWrong has a hook misbehave for one object; the others go on meanwhile, and after the end of it the object's last change is made.
func (r *trusted) goesWrong(loop *loop, how, said string, others []string) {
	r.Helper()
	from := len(loop.text())
	r.fault("bad", how)
	r.setAll("during "+how+said, append([]string{"bad"}, others...)...)
	r.settles("the log says "+said, func() bool { return strings.Contains(loop.text()[from:], said) })
	r.reconciled(others...)
	for round := range 3 {
		r.setAll(fmt.Sprintf("still %d %s", round, how), others...)
		r.reconciled(others...)
	}
	if wrong, err := r.wrong("bad"); err == nil && wrong == "" {
		r.Errorf("%s: the object was reconciled while its hook went wrong", how)
	}
	r.noFault("bad")
	r.reconciled(append([]string{"bad"}, others...)...)
}

// keyThatFails counts how often a key that fails is tried: as often as the back-off allows, and not more.
func (r *trusted) keyThatFails() {
	loop := r.runLoop(r.kubeconfig)
	others := names(20)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()

	r.fault("bad", "exit")
	began := time.Now()
	r.setAll("second", "bad")
	for round := range 5 {
		r.setAll(fmt.Sprintf("round-%d", round), others...)
		r.reconciled(others...)
	}
	failures := regexp.MustCompile(`Reconcile failed; retrying with back-off.*key=` + r.namespace + `/bad .*failures=(\d+)`)
	tried := 0 // as the last line tells: those that are the same are left out
	r.settles("it failed seven times", func() bool {
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
	loop.isAsBefore(before, 64)
	loop.ends()
}

func (r *trusted) hookHangs() {
	loop := r.runLoop(r.kubeconfig, "--hook-timeout", "2s")
	others := names(20)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()
	r.goesWrong(loop, "hang", "no answer within 2s", others)
	r.goesWrong(loop, "hangalone", "no answer within 2s", others)
	loop.isAsBefore(before, 64)
	if left := r.processes(); len(left) != 1 {
		r.Errorf("besides the loop there are %v", left)
	}
	loop.ends()
}

// persistentHookHangs has first one request hang in a process that answers others, which is not killed for it, and then all.
func (r *trusted) persistentHookHangs() {
	loop := r.runLoop(r.kubeconfig, "--hook-persistent", "--hook-timeout", "2s")
	others := names(20)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()
	hook := r.hookPID(loop)

	r.fault("bad", "hangalone")
	r.setAll("second", "bad")
	for round, hung := 0, false; !hung; round++ {
		r.setAll(fmt.Sprintf("round-%d", round), others...)
		r.reconciled(others...)
		hung = strings.Contains(loop.text(), "no answer within 2s")
	}
	if now := r.hookPID(loop); now != hook {
		r.Errorf("a process that answers was killed for one request that hangs: %d, and now %d", hook, now)
	}
	r.noFault("bad")
	r.reconciled()

	for _, name := range others {
		r.fault(name, "hang")
	}
	r.setAll("third", others...)
	loop.waitFor("it answered nothing for 2s and was killed")
	for _, name := range others {
		r.noFault(name)
	}
	r.reconciled()
	loop.isAsBefore(before, 64)
	loop.ends()
}

func (r *trusted) hookCrashes() {
	loop := r.runLoop(r.kubeconfig)
	others := names(20)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()
	r.goesWrong(loop, "exit", "it ended with exit status 1; its last line on stderr was", others)
	loop.isAsBefore(before, 64)
	loop.ends()
}

// persistentHookKilled kills the process from outside while objects are written, and has it crash by one of them.
func (r *trusted) persistentHookKilled() {
	loop := r.runLoop(r.kubeconfig, "--hook-persistent")
	others := names(20)
	r.setAll("first", append([]string{"bad"}, others...)...)
	r.reconciled()
	before := loop.spends()
	for round := range 4 {
		pid := r.hookPID(loop)
		r.setAll(fmt.Sprintf("round-%d", round), others...)
		r.check(syscall.Kill(pid, syscall.SIGKILL))
		r.setAll(fmt.Sprintf("again-%d", round), others...)
		loop.waitFor("Hook process ended; it is started again")
		r.reconciled()
		if now := r.hookPID(loop); now == pid {
			r.Errorf("process %d was killed and is there", pid)
		}
	}

	// One object that crashes the process takes the answers of others with it: they are asked for again.
	r.fault("bad", "exit")
	r.setAll("crash", append([]string{"bad"}, others...)...)
	loop.waitFor("the process ended before it answered")
	r.reconciled(others...)
	r.noFault("bad")
	r.reconciled()
	loop.isAsBefore(before, 64)
	loop.ends()
}
