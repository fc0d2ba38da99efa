// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"testing"
	"testing/synctest"
	"time"
)

// What is registered is done before exit, and cannot hold it up.
func TestBeforeExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &Interrupts{}
		var order []string
		i.BeforeExit(func() { order = append(order, "released") })
		i.leave(func(code int) {
			if code != ExitTrouble || len(order) != 1 {
				t.Errorf("exit %d after %q", code, order)
			}
		})
		stuck := make(chan struct{})
		defer close(stuck)
		i.BeforeExit(func() { <-stuck })
		began, exited := time.Now(), false
		i.leave(func(int) { exited = true })
		if took := time.Since(began); !exited || took != lastTime {
			t.Errorf("exited: %v, after %s", exited, took)
		}
	})
}
