// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sigterm sends SIGTERM while hundreds of objects are written, deleted and finalized, and hooks run: the loop ends in order, within
// bounds of memory, leaves no process, and what it has written is whole. Another start does the rest. The second time the hook is persistent.
func (r *trusted) sigterm() {
	r.children = 2
	args := []string{"--finalize-hook", r.hook}
	all := names(96)    // each is one writer's
	staying := all[:30] // they are deleted when no replica is there to finalize them
	for _, name := range all {
		r.fault(name, "slow:20ms")
	}
	for round := range 2 {
		if round == 1 {
			args = append(args, "--hook-persistent")
		}
		loop := r.runLoop(r.kubeconfig, append(args, "--workers", "8")...)
		r.until("what was deleted is finalized", func() bool { return r.terminating() == 0 })
		r.setAll("at rest", staying...)
		r.reconciled()
		before, peak := loop.spends(), loop.peaks()
		synced, finalized := loop.metric(hooksDone("sync")), loop.metric(hooksDone("finalize"))
		ctx, cancel := context.WithCancel(r.Context())
		var writers sync.WaitGroup
		for i := range 4 {
			writers.Go(func() {
				for n, turn := i, 0; ctx.Err() == nil; n, turn = (n+4)%len(all), turn+1 {
					assert.NoError(r, r.set(all[n], fmt.Sprintf("round-%d-%d", round, time.Now().UnixNano())), "set %s", all[n])
					if gone := (n + len(all)/2) % len(all); turn%5 == 4 && gone >= len(staying) {
						r.remove(all[gone])
					}
				}
			})
		}
		loop.has(hooksDone("sync"), synced+100)
		loop.has(hooksDone("finalize"), finalized+10)
		loop.signal(syscall.SIGTERM)
		code := loop.wait()
		cancel()
		writers.Wait()
		assert.Zero(r, code, "exit code: after SIGTERM")
		assert.LessOrEqual(r, peak(), before.peak+64, "the peak of memory: %d before; at most 64 more is allowed", before.peak)
		assert.Empty(r, r.processes(), "processes left behind")
		for _, word := range []string{"goroutine ", "panic", "Reconcile failed"} {
			assert.NotContains(r, loop.text(), word, "is in the log of a loop that was asked to stop")
		}
		r.childrenAreWhole()
		if wrong, err := r.wrong(); err == nil && wrong == "" {
			r.Error("all was done when the loop ended: there was no load")
		}
		for _, name := range staying {
			r.remove(name)
		}
		assert.GreaterOrEqual(r, r.terminating(), len(staying), "at least")
		r.leavesNothing(r.dir)
	}
	for _, name := range all {
		r.noFault(name)
	}
	loop := r.runLoop(r.kubeconfig, args...)
	r.until("what was deleted is finalized", func() bool { return r.terminating() == 0 })
	r.reconciled()
	loop.ends()
}

func hooksDone(hook string) (metric string) {
	return fmt.Sprintf(`crdctl_loop_hook_duration_seconds_count{hook=%q,result="success"}`, hook)
}

// remove deletes an object, which may be gone already.
func (r *trusted) remove(name string) {
	if err := r.things().Delete(r.Context(), name, deleteAtOnce); err != nil && !apierrors.IsNotFound(err) {
		r.Errorf("delete %s: %v", name, err)
	}
}

// terminating is how many objects were deleted and are there.
func (r *trusted) terminating() (n int) {
	r.Helper()
	list, err := r.things().List(r.Context(), metav1.ListOptions{})
	r.check(err)
	for _, thing := range list.Items {
		if thing.GetDeletionTimestamp() != nil {
			n++
		}
	}
	return n
}

// peaks watches the peak of memory, in MiB, until the process has ended, and tells it then.
func (l *loop) peaks() (whenEnded func() int) {
	peak, told := 0, make(chan struct{})
	go func() {
		defer close(told)
		for {
			status, err := os.ReadFile(l.proc("status"))
			_, after, ok := strings.Cut(string(status), "VmHWM:")
			if err != nil || !ok {
				return // it has ended
			}
			if kib, err := strconv.Atoi(strings.Fields(after)[0]); err == nil {
				peak = kib >> 10
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	return func() int { <-told; return peak }
}

// childrenAreWhole holds that what there is has an owner and agrees with itself.
func (r *trusted) childrenAreWhole() {
	r.Helper()
	maps, err := r.core.CoreV1().ConfigMaps(r.namespace).List(r.Context(), metav1.ListOptions{})
	r.check(err)
	n := 0
	for _, m := range maps.Items {
		if !strings.HasPrefix(m.Name, "thing-") {
			continue
		}
		n++
		assert.NoError(r, whole(&m))
	}
	assert.NotZero(r, n, "there are no children at all")
}

func whole(m *corev1.ConfigMap) error {
	if metav1.GetControllerOf(m) == nil || len(m.Data) != 2 || m.Data["first"] == "" || m.Data["first"] != m.Data["second"] {
		return fmt.Errorf("%s is half-written: %v, owners %v", m.Name, m.Data, m.OwnerReferences)
	}
	return nil
}
