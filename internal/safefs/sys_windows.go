// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// nonblock is for FIFOs and devices, which no directory of Windows has.
const nonblock = 0

// uidOf knows none: a file's owner is not a number there, and the directories in question are closed to other users.
func uidOf(fs.FileInfo) (int, bool) { return 0, false }

// inodeOf knows none: a FileInfo has no file index.
func inodeOf(fs.FileInfo) uint64 { return 0 }

func tryLock(f *os.File, shared bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	// Locks are mandatory there. This byte lies behind all content, which others may still read.
	beyond := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, beyond)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}
