package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// stopsUnderLoad sends SIGTERM while hundreds of objects are written and hooks run: the loop ends in order, leaves no process, and what it
// has written is whole. Another start does the rest.
func (r *trusted) stopsUnderLoad(args ...string) {
	r.children = 2
	all := names(150)
	for _, name := range all {
		r.fault(name, "slow:20ms")
	}
	for round := range 2 {
		loop := r.runLoop(r.kubeconfig, append(args, "--workers", "8")...)
		ctx, cancel := context.WithCancel(r.Context())
		var writers sync.WaitGroup
		for i := range 4 {
			writers.Go(func() {
				for n := i; ctx.Err() == nil; n = (n + 4) % len(all) {
					if err := r.set(all[n], fmt.Sprintf("round-%d-%d", round, time.Now().UnixNano())); err != nil {
						r.Errorf("set %s: %v", all[n], err)
					}
				}
			})
		}
		loop.has(`crdctl_loop_hook_duration_seconds_count{hook="sync",result="success"}`, 100)
		loop.signal(syscall.SIGTERM)
		code := loop.wait()
		cancel()
		writers.Wait()
		if code != 0 {
			r.Errorf("exit code %d after SIGTERM, want 0", code)
		}
		if left := r.processes(); len(left) > 0 {
			r.Errorf("processes left behind: %v", left)
		}
		for _, word := range []string{"goroutine ", "panic", "Reconcile failed"} {
			if strings.Contains(loop.text(), word) {
				r.Errorf("%q is in the log of a loop that was asked to stop", word)
			}
		}
		r.childrenAreWhole()
		if wrong, err := r.wrong(); err == nil && wrong == "" {
			r.Error("all was done when the loop ended: there was no load")
		}
		r.leavesNothing(r.dir)
	}
	for _, name := range all {
		r.noFault(name)
	}
	loop := r.runLoop(r.kubeconfig, args...)
	r.reconciled()
	loop.ends()
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
		if whole(&m) != nil {
			r.Error(whole(&m))
		}
	}
	if n == 0 {
		r.Error("there are no children at all")
	}
}

func whole(m *corev1.ConfigMap) error {
	if metav1.GetControllerOf(m) == nil || len(m.Data) != 2 || m.Data["first"] == "" || m.Data["first"] != m.Data["second"] {
		return fmt.Errorf("%s is half-written: %v, owners %v", m.Name, m.Data, m.OwnerReferences)
	}
	return nil
}

func (r *trusted) sigterm() { r.stopsUnderLoad() }

func (r *trusted) persistentSigterm() { r.stopsUnderLoad("--hook-persistent") }
