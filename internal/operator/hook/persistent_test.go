// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func do(what, arg string) string {
	quoted, _ := json.Marshal(arg) // of a string: it has no error
	return fmt.Sprintf(`{"do":%q,"arg":%s}`, what, quoted)
}

// servedBy is the process that answers now. While a process that ended is not restarted yet, it asks again.
func servedBy(t *testing.T, d Decider) int {
	t.Helper()
	var answer struct{ PID int }
	eventually(t, "an answer", func() bool {
		got, err := d.Call(t.Context(), syncCall(do("answer", "")))
		var later *RetryAfterError
		if err != nil && !errors.As(err, &later) && !strings.Contains(err.Error(), "ended before it answered") {
			t.Fatal(err)
		}
		return err == nil && json.Unmarshal(got, &answer) == nil
	})
	return answer.PID
}

func TestOneProcessServesAllCallsAtOnce(t *testing.T) {
	d, log := open(t, Options{Sync: self("serve"), Finalize: self("serve"), Persistent: true})
	gate := filepath.Join(t.TempDir(), "gate")
	var calls sync.WaitGroup
	var pids sync.Map
	for range 8 {
		calls.Go(func() {
			var answer struct{ PID int }
			assert.NoError(t, json.Unmarshal([]byte(mustCall(t, d, do("wait", gate))), &answer))
			pids.Store(answer.PID, true)
		})
	}
	// While all of them wait, others are answered, also those of another hook; a body of several lines becomes one.
	answer, err := d.Call(t.Context(), Call{Op: Finalize, Kind: "K", Key: "a/b", Body: []byte("{\n \"do\": \"answer\",\r\n \"arg\": \"x\"}")})
	require.NoError(t, err, "answer")
	assert.Contains(t, string(answer), `"hook":"finalize","key":"a/b","arg":"x"`, "answer")
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	calls.Wait()
	n := 0
	pids.Range(func(any, any) bool { n++; return true })
	assert.Equal(t, 1, n, "processes")
	eventually(t, "stderr in the log, with its key", func() bool {
		mustCall(t, d, do("answer", "")) // again: a line that is read after the answer has no key
		return strings.Contains(log.String(), `kind=CronTab key=default/demo hook=sync line="asked for default/demo"`)
	})
}

func TestPersistentProcessThatCrashes(t *testing.T) {
	d, log := open(t, Options{Sync: self("serve"), Persistent: true})
	first := servedBy(t, d)
	mustFail(t, t.Context(), d, do("crash", ""), "ended before it answered", "exit status 3", `"boom"`)
	var later *RetryAfterError
	if err := failure(t, t.Context(), d, do("answer", ""), "not restarted yet"); !errors.As(err, &later) || later.After > firstPause {
		t.Errorf("error %v", err)
	}
	assert.NotEqual(t, first, servedBy(t, d), "it is the process that crashed")
	assert.Contains(t, log.String(), "Hook process ended; restarting", "log %s", log)
}

func TestPauseBetweenStarts(t *testing.T) {
	p := &persistent{}
	var got []time.Duration
	for range 12 {
		got = append(got, p.pause())
	}
	if got[0] != 100*time.Millisecond || got[1] != 200*time.Millisecond || got[8] != 25600*time.Millisecond || got[9] != lastPause || got[11] != lastPause {
		t.Errorf("pauses %v", got)
	}
}

func TestPersistentProcessKilledFromOutside(t *testing.T) {
	d, _ := open(t, Options{Sync: self("serve"), Persistent: true})
	first := servedBy(t, d)
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() { mustFail(t, t.Context(), d, do("never", ""), "ended before it answered", "signal: killed") })
	}
	eventually(t, "three wait", func() bool { return pendingCalls(d) == 3 })
	require.NoError(t, syscall.Kill(first, syscall.SIGKILL))
	calls.Wait()
	assert.NotEqual(t, first, servedBy(t, d), "it is the process that was killed")
}

func pendingCalls(d Decider) int {
	p := d.(*hooks).servers[0]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return -1
	}
	return len(p.current.pending)
}

// A call that is not answered fails alone, as long as others are answered.
func TestLateCallFailsAlone(t *testing.T) {
	d, _ := open(t, Options{Sync: self("serve"), Persistent: true, Timeout: 2 * time.Second})
	first := servedBy(t, d)
	gate := filepath.Join(t.TempDir(), "gate")
	var calls sync.WaitGroup
	calls.Go(func() { mustFail(t, t.Context(), d, do("wait", gate), "no answer within 2s") })
	eventually(t, "it waits", func() bool { return pendingCalls(d) == 1 })
	assert.Equal(t, first, servedBy(t, d), "another process")
	calls.Wait()
	// The late answer comes now, and disturbs no other call.
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	assert.Equal(t, first, servedBy(t, d), "the process was replaced for one late call")
}

func TestPersistentProcessThatHangs(t *testing.T) {
	d, log := open(t, Options{Sync: self("serve"), Persistent: true, Timeout: 2 * time.Second})
	first := servedBy(t, d)
	mustFail(t, t.Context(), d, do("block", ""), "no answer within 2s", "--hook-timeout")
	eventually(t, "it is gone", func() bool { return gone(first) })
	assert.NotEqual(t, first, servedBy(t, d), "it is the process that hung")
	assert.Contains(t, log.String(), "did not answer for 2s and was killed", "log %s", log)
}

// A process that does not read its stdin blocks who writes to it, and no call.
func TestPersistentProcessThatDoesNotRead(t *testing.T) {
	d, _ := open(t, Options{Sync: self("sleep"), Persistent: true, Timeout: time.Second})
	large := do("answer", strings.Repeat("x", 1<<20))
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			_, err := d.Call(t.Context(), syncCall(large))
			assert.Error(t, err)
		})
	}
	calls.Wait()
}

func TestLinesThatAreNoAnswers(t *testing.T) {
	d, log := open(t, Options{Sync: self("serve"), Persistent: true})
	first := servedBy(t, d)
	mustFail(t, t.Context(), d, do("print", "debugging\x1b[0m"), `not an answer: "debugging\x1b[0m"`, "to stderr")
	mustFail(t, t.Context(), d, do("error", ""), `answered with an error: "no such image"`)
	mustFail(t, t.Context(), d, do("print", `{"id":4}`), "neither response nor error")
	mustFail(t, t.Context(), d, do("print", `{"id":5,"response":[1]}`), "not an object")
	gate := filepath.Join(t.TempDir(), "gate")
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() { mustCall(t, d, do("wait", gate)) })
	}
	eventually(t, "two wait", func() bool { return pendingCalls(d) == 2 })
	calls.Go(func() { _, _ = d.Call(t.Context(), syncCall(do("print", "who am I"))) })
	eventually(t, "a warning", func() bool { return strings.Contains(log.String(), "Hook printed a line that is not an answer") })
	// An answer to a call that was not made is skipped.
	calls.Go(func() { _, _ = d.Call(t.Context(), syncCall(do("print", `{"id":999,"response":{}}`))) })
	eventually(t, "four wait", func() bool { return pendingCalls(d) == 4 })
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	eventually(t, "two are left", func() bool { return pendingCalls(d) == 2 })
	assert.Equal(t, first, servedBy(t, d), "the process was replaced")
	d.Close() // ends the two
	calls.Wait()
}

func TestMemoryOfALineThatDoesNotEnd(t *testing.T) {
	const limit = 1 << 20
	d, _ := open(t, Options{Sync: self("serve"), Persistent: true, MaxAnswer: limit})
	first := servedBy(t, d)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mustFail(t, t.Context(), d, do("flood", "x"), "larger than 1048576 bytes", "--hook-max-bytes")
	runtime.ReadMemStats(&after)
	assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(8*limit))
	assert.NotEqual(t, first, servedBy(t, d), "it is the process that printed without end")
	mustFail(t, t.Context(), d, do("flood", " "), "larger than 1048576 bytes")
}

func TestStderrOfAPersistentProcess(t *testing.T) {
	d, log := open(t, Options{Sync: self("serve"), Persistent: true})
	mustCall(t, d, do("noisy", ""))
	mustCall(t, d, do("answer", ""))
	eventually(t, "a note about what was left out", func() bool { return strings.Contains(log.String(), "Hook stderr truncated") })
	assert.LessOrEqual(t, len(log.String()), 4*maxStderr, "bytes of log")
}

func TestCloseEndsThePersistentProcess(t *testing.T) {
	d, _ := open(t, Options{Sync: self("serve"), Persistent: true})
	pid := servedBy(t, d)
	// It ignores SIGTERM and the end of its stdin, and is at a call.
	failed := make(chan error, 1)
	go func() {
		_, err := d.Call(t.Context(), syncCall(do("block", "")))
		failed <- err
	}()
	eventually(t, "it waits", func() bool { return pendingCalls(d) == 1 })
	d.Close()
	assert.ErrorIs(t, <-failed, ErrClosed)
	assert.True(t, gone(pid), "it is not gone")
}
