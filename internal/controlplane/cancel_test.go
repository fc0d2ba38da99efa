// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCancelledStart cancels a start at moments spread over all of it and looks for what is left.
func TestCancelledStart(t *testing.T) {
	whole := time.Now()
	c := start(t, Options{})
	took := time.Since(whole)
	stop(t, c)

	t.Setenv("TMPDIR", shortDir(t))
	port := freePort(t)
	base := settledGoroutines()
	for _, share := range []float64{0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95} {
		t.Run(fmt.Sprintf("at %.0f%%", 100*share), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(share*float64(took)))
			defer cancel()
			c, err := Start(ctx, Options{Port: port})
			switch {
			case err == nil: // faster than the first time
				stop(t, c)
			case !errors.Is(err, context.DeadlineExceeded):
				t.Errorf("got error %v, want the one of the context", err)
			}
			expectEmpty(t, os.TempDir())
			expectFree(t, fmt.Sprintf("127.0.0.1:%d", port))
			expectGoroutines(t, base)
		})
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer closeIt(t, l)
	return l.Addr().(*net.TCPAddr).Port
}

// settledGoroutines waits for the goroutines of control planes that stopped to come to their end.
func settledGoroutines() int {
	for n := runtime.NumGoroutine(); ; {
		before := n
		time.Sleep(time.Second)
		if n = runtime.NumGoroutine(); n >= before {
			return n
		}
	}
}

// expectGoroutines waits until about as many goroutines as at the beginning are left. Kubernetes keeps a few
// for good, from its first start in a process on.
func expectGoroutines(t *testing.T, base int) {
	t.Helper()
	const slack = 10
	if !assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= base+slack }, patience, tick, "goroutines end") {
		stacks := make([]byte, 1<<20)
		t.Logf("%d are left, %d were there before\n%s", runtime.NumGoroutine(), base, stacks[:runtime.Stack(stacks, true)])
	}
}
