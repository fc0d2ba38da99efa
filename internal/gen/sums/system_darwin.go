// SPDX-License-Identifier: Apache-2.0

package sums

import (
	"io/fs"
	"syscall"
)

// system is what this system knows of a file beyond its size and time: its inode, and when that last changed.
func system(info fs.FileInfo) (inode uint64, changed int64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino, s.Ctimespec.Nano()
	}
	return 0, 0
}
