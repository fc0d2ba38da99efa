// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asAnybody runs a function without root's right to write everywhere: in containers, tests are root's.
func asAnybody(t *testing.T, do func()) {
	t.Helper()
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine, and its rights with it
		header := struct {
			version uint32
			pid     int32
		}{0x20080522, 0}
		var none [2]struct{ effective, permitted, inheritable uint32 }
		_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0)
		if errno == 0 {
			do()
		}
		done <- errno
	}()
	require.Zero(t, <-done)
}

// A file that is read-only is written anew and stays read-only; where a directory is, nothing is changed.
func TestReadOnly(t *testing.T) {
	complete := files(completed(t))
	for name, want := range map[string]string{
		"gen/a.go":     "",
		"gen":          "make the directory of gen/new/c.go: permission denied; nothing was changed; make its directory writable, and run the command again",
		"gen/old/deep": "remove gen/old/deep/left.go: permission denied; nothing was changed; make its directory writable, and run the command again",
		".":            "permission denied; nothing was changed; make its directory writable, and run the command again",
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, before)
			old := contents(t, root)
			at := filepath.Join(root, name)
			info, err := os.Stat(at)
			require.NoError(t, err)
			require.NoError(t, os.Chmod(at, info.Mode().Perm()&^0o222))
			asAnybody(t, func() { _, err = writeOn(t, root, false, 0, nil) })
			if want == "" {
				require.NoError(t, err)
				after, err := os.Stat(at)
				require.NoError(t, err)
				assert.Equal(t, info.Mode()&^0o222, after.Mode())
			} else {
				assert.ErrorContains(t, err, want)
				assert.Equal(t, old, contents(t, root))
			}
			require.NoError(t, os.Chmod(at, info.Mode().Perm()))
			completes(t, root, complete)
		})
	}
}
