// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
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

// Ctrl-C after a key that ends a run is the second request, not the first.
func TestQuitThenSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 1)
		ctx, i := follow(t.Context(), signals, io.Discard, func(int) {})
		defer i.End()
		i.Quit()
		i.Quit()
		<-ctx.Done()
		assert.False(t, i.Hurried())
		time.Sleep(2 * onePress)
		signals <- os.Interrupt
		synctest.Wait()
		assert.True(t, i.Hurried())
	})
}
