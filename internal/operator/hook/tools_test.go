// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// patience is how long a test waits for what must come. It is no measure of anything.
const patience = 60 * time.Second

// logged is a log that a test can read.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		require.False(t, time.Now().After(end), "not in %s: %s", patience, what)
	}
}

// open opens hooks that are closed at the end of the test, and then looks for goroutines that they left.
func open(t *testing.T, o Options) (Decider, *logged) {
	t.Helper()
	log := &logged{}
	o.Log = log.logger()
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	before := runtime.NumGoroutine()
	d, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		d.Close()
		d.Close() // again, to no effect
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
	return d, log
}

func syncCall(body string) Call {
	return Call{Op: Sync, Kind: "CronTab", Key: "default/demo", Body: []byte(body)}
}

func mustCall(t *testing.T, d Decider, body string) string {
	t.Helper()
	answer, err := d.Call(t.Context(), syncCall(body))
	require.NoError(t, err)
	return string(answer)
}

// mustFail makes a call that is answered by an error with all these words in it.
func mustFail(t *testing.T, ctx context.Context, d Decider, body string, words ...string) {
	t.Helper()
	_ = failure(t, ctx, d, body, words...)
}

// failure is mustFail, and the error.
func failure(t *testing.T, ctx context.Context, d Decider, body string, words ...string) error {
	t.Helper()
	answer, err := d.Call(ctx, syncCall(body))
	require.Error(t, err, "no error, but %.200s", answer)
	for _, w := range words {
		assert.Contains(t, err.Error(), w, "error %q does not say", err)
	}
	return err
}

// gone reports whether a process has ended. One that was not waited for yet has ended too.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(after, "Z") || strings.HasPrefix(after, "X")
}

func twoPIDs(t *testing.T, file string) (parent, child int) {
	t.Helper()
	_, err := fmt.Sscanf(safefstest.Read(t, file), "%d %d", &parent, &child)
	require.NoError(t, err)
	return parent, child
}
