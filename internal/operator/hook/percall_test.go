// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"context"
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

func TestProgramGetsTheCallAndAnswers(t *testing.T) {
	d, _ := open(t, Options{Sync: self("echo"), Finalize: self("echo")})
	if !d.Has(Sync) || !d.Has(Finalize) || d.Has(Customize) {
		t.Error("it has not the hooks that it was given")
	}
	answer, err := d.Call(t.Context(), Call{Op: Finalize, Kind: "CronTab", Key: "a/b", Body: []byte(`{"parent":{}}`)})
	if want := `{"hook":"finalize","kind":"CronTab","key":"a/b","request":{"parent":{}}}`; err != nil || string(answer) != want {
		t.Errorf("answer %s, error %v", answer, err)
	}
	_, err = d.Call(t.Context(), Call{Op: Customize})
	assert.ErrorContains(t, err, "no customize hook")
}

func TestProgramThatDoesNotRead(t *testing.T) {
	d, _ := open(t, Options{Sync: self("unread")})
	assert.Equal(t, `{"children":[]}`, mustCall(t, d, `"`+strings.Repeat("x", 10<<20)+`"`), "answer")
}

func TestAnswersThatAreNone(t *testing.T) {
	for printed, words := range map[string]string{
		"":                          "the answer is empty",
		"  \n":                      "the answer is empty",
		"hello\x1b[31m":             `it begins with "hello\x1b[31m"; print one JSON object and nothing else`,
		`{"children":[]} done`:      `has more text after its JSON object, with "done"`,
		`{"a":1}{"b":2}`:            `has more text after its JSON object, with "{\"b\":2}"`,
		`{"children":[`:             "ends in the middle",
		`[]`:                        "not an object",
		`null`:                      "not an object",
		strings.Repeat("y", 99_000): strings.Repeat("y", 200) + `"…`,
	} {
		d, _ := open(t, Options{Sync: self("print", printed)})
		mustFail(t, t.Context(), d, `{}`, "sync hook ", words)
	}
}

func TestProgramThatCrashes(t *testing.T) {
	d, log := open(t, Options{Sync: self("crash")})
	mustFail(t, t.Context(), d, `{}`, "exit status 3", `boom \x1b[31mred`, "half an ans", "fix the hook")
	if out := log.String(); !strings.Contains(out, "line=first kind") && !strings.Contains(out, "kind=CronTab key=default/demo hook=sync line=first") || strings.Contains(out, "\x1b") {
		t.Errorf("log %q", out)
	}
	d, _ = open(t, Options{Sync: self("killed")})
	mustFail(t, t.Context(), d, `{}`, "signal: killed")
}

func TestProgramThatHangs(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	d, _ := open(t, Options{Sync: self("hang", pids), Timeout: time.Second})
	mustFail(t, t.Context(), d, `{}`, "no answer within 1s", "--hook-timeout", "waiting for nothing")
	parent, child := twoPIDs(t, pids)
	eventually(t, "both processes gone", func() bool { return gone(parent) && gone(child) })
}

func TestEndOfTheCallersContext(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	d, _ := open(t, Options{Sync: self("hang", pids)})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		waitForFile(pids)
		cancel()
	}()
	assert.ErrorIs(t, failure(t, ctx, d, `{}`), context.Canceled)
	parent, child := twoPIDs(t, pids)
	eventually(t, "both processes gone", func() bool { return gone(parent) && gone(child) })
}

func TestCloseEndsCalls(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	d, _ := open(t, Options{Sync: self("hang", pids)})
	go func() {
		waitForFile(pids)
		d.Close()
	}()
	assert.ErrorIs(t, failure(t, t.Context(), d, `{}`), ErrClosed)
	parent, child := twoPIDs(t, pids)
	eventually(t, "both processes gone", func() bool { return gone(parent) && gone(child) })
	assert.ErrorIs(t, failure(t, t.Context(), d, `{}`), ErrClosed, "after Close")
}

// A child of the hook holds its stdout. In the hook's group it is killed; in a session of its own it goes on, and is not waited for.
func TestProgramThatLeavesAChild(t *testing.T) {
	for _, how := range []string{"orphan", "session"} {
		pids := filepath.Join(t.TempDir(), "pids")
		d, _ := open(t, Options{Sync: self(how, pids)})
		assert.Equal(t, `{"children":[]}`, mustCall(t, d, `{}`), "%s: answer", how)
		_, child := twoPIDs(t, pids)
		if how == "session" {
			_ = syscall.Kill(child, syscall.SIGKILL)
		}
		eventually(t, "the child is gone", func() bool { return gone(child) })
	}
}

// The time runs until the program's own end, not until its pipes are free: they are waited for one second more.
func TestAnswerAtTheLastMoment(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	d, _ := open(t, Options{Sync: self("late", pids), Timeout: 2400 * time.Millisecond})
	assert.Equal(t, `{"children":[]}`, mustCall(t, d, `"`+strings.Repeat("x", 1<<20)+`"`), "answer")
	_, child := twoPIDs(t, pids)
	_ = syscall.Kill(child, syscall.SIGKILL)
}

func TestMemoryOfAFloodOnStdout(t *testing.T) {
	const limit = 1 << 20
	d, _ := open(t, Options{Sync: self("flood"), MaxAnswer: limit})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	mustFail(t, t.Context(), d, `{}`, "larger than 1048576 bytes", "--hook-max-bytes", "loop.maxAnswerBytes")
	runtime.ReadMemStats(&after)
	// All that was ever allocated, also what was given back: growing to the limit by doubling is at most twice the limit.
	assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(3*limit))
}

func TestFloodOnStderr(t *testing.T) {
	d, log := open(t, Options{Sync: self("noisy")})
	assert.Equal(t, `{"children":[]}`, mustCall(t, d, `{}`), "answer")
	out := log.String()
	assert.LessOrEqual(t, len(out), 2*maxStderr, "bytes of log")
	if n := strings.Count(out, "Hook stderr truncated"); n != 1 || !strings.Contains(out, "noise 0\"") || strings.Contains(out, "noise 19999") {
		t.Errorf("%d notes about what was left out; log %.300s", n, out)
	}
}

// Programs beyond the bound wait, and waiting is not counted as time of theirs; the end of the caller's context ends it.
func TestProgramsAtOnce(t *testing.T) {
	gate := filepath.Join(t.TempDir(), "gate")
	d, log := open(t, Options{Sync: self("gate", gate), MaxParallel: 2})
	var calls sync.WaitGroup
	for range 6 {
		calls.Go(func() { mustCall(t, d, `{}`) })
	}
	eventually(t, "two run", func() bool { return strings.Count(log.String(), "line=inside") == 2 })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, failure(t, ctx, d, `{}`), context.Canceled)
	assert.Equal(t, 2, strings.Count(log.String(), "line=inside"), "run at once")
	require.NoError(t, os.WriteFile(gate, nil, 0o644))
	calls.Wait()
	assert.Equal(t, 6, strings.Count(log.String(), "line=inside"), "ran")
}

// What puts itself into a session of its own ends with the hooks.
func TestCloseEndsChildrenInOtherSessions(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	d, _ := open(t, Options{Sync: self("session", pids), Mark: t.TempDir()})
	mustCall(t, d, `{}`)
	_, child := twoPIDs(t, pids)
	if runtime.GOOS != "linux" {
		_ = syscall.Kill(child, syscall.SIGKILL) // it is not found
	} else if gone(child) {
		t.Error("it ended with the call, for which all processes were looked at")
	}
	d.Close()
	assert.True(t, gone(child), "the child goes on")
}

// What a program prints with each failure is logged once, and all of it as soon as something is new.
func TestStderrOfRepeatedFailuresIsFolded(t *testing.T) {
	says := filepath.Join(t.TempDir(), "says")
	d, log := open(t, Options{Sync: Target{Args: []string{"/bin/sh", "-c", `cat "$0" >&2; exit $(wc -l < "$0")`, says}}})
	for _, step := range []struct {
		says     string
		one, two int // lines so far
	}{
		{"one\ntwo\n", 1, 1}, {"one\ntwo\n", 1, 1}, {"one\n", 2, 1}, {"one\n", 2, 1}, {"one\ntwo\n", 3, 2}, {"one\ntwo\n", 3, 2},
	} {
		require.NoError(t, os.WriteFile(says, []byte(step.says), 0o600))
		mustFail(t, t.Context(), d, `{}`, "exit status", "last line on stderr")
		if one, two := strings.Count(log.String(), "line=one"), strings.Count(log.String(), "line=two"); one != step.one || two != step.two {
			t.Errorf("after %q: %d and %d lines, want %d and %d", step.says, one, two, step.one, step.two)
		}
	}
}
