package cmd

import (
	"testing"
	"testing/synctest"
	"time"
)

// What is registered is done before exit, and cannot hold it up.
func TestBeforeExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &interrupts{}
		var order []string
		i.beforeExit(func() { order = append(order, "released") })
		i.leave(func(code int) {
			if code != exitTrouble || len(order) != 1 {
				t.Errorf("exit %d after %q", code, order)
			}
		})
		stuck := make(chan struct{})
		defer close(stuck)
		i.beforeExit(func() { <-stuck })
		began, exited := time.Now(), false
		i.leave(func(int) { exited = true })
		if took := time.Since(began); !exited || took != lastTime {
			t.Errorf("exited: %v, after %s", exited, took)
		}
	})
}
