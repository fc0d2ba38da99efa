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
	base := settledGoroutines(t)
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
			l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Errorf("the port is not free again: %v", err)
			} else {
				closeIt(t, l)
			}
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
func settledGoroutines(t *testing.T) int {
	t.Helper()
	n := runtime.NumGoroutine()
	eventually(t, "goroutines settle", func(ctx context.Context) error {
		before := n
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
		if n = runtime.NumGoroutine(); n < before {
			return fmt.Errorf("from %d to %d within a second", before, n)
		}
		return nil
	})
	return n
}

// expectGoroutines waits until about as many goroutines as at the beginning are left. Kubernetes keeps a few
// for good, from its first start in a process on.
func expectGoroutines(t *testing.T, base int) {
	t.Helper()
	const slack = 10
	eventually(t, "goroutines end", func(context.Context) error {
		if n := runtime.NumGoroutine(); n > base+slack {
			stacks := make([]byte, 1<<20)
			return fmt.Errorf("%d are left, %d were there before\n%s", n, base, stacks[:runtime.Stack(stacks, true)])
		}
		return nil
	})
}
