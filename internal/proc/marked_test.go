// SPDX-License-Identifier: Apache-2.0

//go:build linux

package proc

import (
	"bufio"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// grandchild starts a child that starts another one in a session of its own, and returns the pid of that.
func grandchild(t *testing.T, o Options) (*Process, int) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	o.Path, o.Env, o.Stdout, o.Grace = os.Args[0], append(os.Environ(), "PROC_TEST_CHILD=parent"), w, time.Minute
	p, err := Start(o)
	require.NoError(t, err)
	_ = w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(line[:len(line)-1])
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL); p.Stop() })
	// A program that was just executed has no environment for a moment.
	require.Eventually(t, func() bool { return alive(pid) }, time.Minute, time.Millisecond, "no grandchild")
	return p, pid
}

func alive(pid int) bool {
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && len(environment) > 0 // that of a zombie is empty
}

func TestDescendantsInOtherSessionsEndWithTheChild(t *testing.T) {
	mark := t.TempDir()
	p, pid := grandchild(t, Options{Mark: mark})
	other, otherPID := grandchild(t, Options{Mark: mark})
	p.Stop()
	assert.False(t, alive(pid), "a grandchild outlived the child that was stopped")
	assert.True(t, alive(otherPID), "a grandchild of another child was killed")
	other.Kill()
	<-other.Done()
	assert.False(t, alive(otherPID), "a grandchild outlived the child that was killed")
}

func TestKillMarked(t *testing.T) {
	mark := t.TempDir()
	p, pid := grandchild(t, Options{Mark: mark, Brief: true})
	p.Stop()
	require.True(t, alive(pid), "each brief child looks at all processes")
	KillMarked("")
	KillMarked(mark[:len(mark)-1]) // the beginning of a mark is another mark
	KillMarked(mark + "#")
	require.True(t, alive(pid), "killed for another mark")
	KillMarked(mark)
	assert.False(t, alive(pid), "still there")
}

func BenchmarkKillMarked(b *testing.B) {
	for b.Loop() {
		KillMarked("/nothing/has/this")
	}
}
