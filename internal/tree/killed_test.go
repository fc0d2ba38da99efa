//go:build unix

package tree

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
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
func TestKilledAtEveryOperation(t *testing.T) { onDisks(t, killedAtEveryOperation) }

func killedAtEveryOperation(t *testing.T, plain bool) {
	disk := plainEnv + "="
	if plain {
		disk += "1"
	}
	complete := files(completed(t))
	for n := 1; ; n++ {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, before)
		old := contents(t, root)
		if out, err := child(t, root, disk, dieEnv+"="+fmt.Sprint(n)).CombinedOutput(); err == nil {
			assert.GreaterOrEqual(t, n, 20, "only: operations")
			return
		} else if !strings.Contains(err.Error(), "killed") {
			t.Fatalf("operation %d: %v\n%s", n, err, out)
		}
		if plain { // a file may lie in the stage
			_, err := Recover(root)
			assert.NoError(t, err)
		}
		whole(t, n, files(contents(t, root)), old, complete)
		mends(t, root, complete)
	}
}

// A real write that the system cuts short.
func TestCutShort(t *testing.T) {
	complete := files(completed(t))
	root := t.TempDir()
	safefstest.WriteFiles(t, root, before)
	old := contents(t, root)
	out, err := child(t, root, limitEnv+"=1").CombinedOutput()
	want := "write gen/a.go: file too large; nothing was changed; raise the limit on the size of files (ulimit -f), and run the command again"
	require.Error(t, err)
	assert.Contains(t, string(out), want)
	if got := contents(t, root); !same(got, old) {
		t.Errorf("the tree is\n%v\nwant\n%v", got, old)
	}
	mends(t, root, complete)
}

// Two processes at once, without turns: each file is whole, and what was made of the same sources is complete.
func TestTwoAtOnce(t *testing.T) {
	complete := files(completed(t))
	for range 5 {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, before)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				out, err := child(t, root).CombinedOutput()
				assert.NoError(t, err, "%s", out)
			})
		}
		both.Wait()
		mends(t, root, complete)
	}
}
