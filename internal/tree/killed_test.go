// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tree

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	dieEnv   = "CRDCTL_TEST_TREE_DIE_AT"
	limitEnv = "CRDCTL_TEST_TREE_LIMIT"
	plainEnv = "CRDCTL_TEST_TREE_PLAIN"
)

// TestChild is not a test but the process that others start: it writes, and is killed at some operation, or may write no
// file of more than limit bytes.
func TestChild(t *testing.T) {
	root := os.Getenv(rootEnv)
	if root == "" {
		return
	}
	n := 0
	if at := os.Getenv(dieEnv); at != "" {
		_, err := fmt.Sscan(at, &n)
		require.NoError(t, err)
	}
	if os.Getenv(limitEnv) != "" {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}))
	}
	happened, err := writeOn(t, root, os.Getenv(plainEnv) != "", n, func() error {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	})
	if n > 0 && happened {
		t.Error("outlived kill -9")
	}
	require.NoError(t, err)
}

func child(t *testing.T, root string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(append(os.Environ(), rootEnv+"="+root), env...)
	return cmd
}

// A real kill -9 before any operation, and in the middle of any write.
func TestKilledAtEveryOperation(t *testing.T) {
	atEveryOperation(t, func(o operation) bool {
		disk := plainEnv + "="
		if o.plain {
			disk += "1"
		}
		out, err := child(o.T, o.root, disk, dieEnv+"="+fmt.Sprint(o.n)).CombinedOutput()
		if err == nil {
			return false
		}
		require.ErrorContains(o, err, "killed", "operation %d: %s", o.n, out)
		o.whole()
		return true
	})
}

// A real write that the system cuts short.
func TestCutShort(t *testing.T) {
	complete := files(completed(t))
	root := project(t, before)
	old := contents(t, root)
	out, err := child(t, root, limitEnv+"=1").CombinedOutput()
	want := "write gen/a.go: file too large; nothing was changed; raise the limit on the size of files (ulimit -f), and run the command again"
	require.Error(t, err)
	assert.Contains(t, string(out), want)
	assert.Equal(t, old, contents(t, root))
	completes(t, root, complete)
}

// Two processes at once, without turns: each file is whole, and what was made of the same sources is complete.
func TestTwoAtOnce(t *testing.T) {
	complete := files(completed(t))
	for range 5 {
		root := project(t, before)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				out, err := child(t, root).CombinedOutput()
				assert.NoError(t, err, "%s", out)
			})
		}
		both.Wait()
		completes(t, root, complete)
	}
}
