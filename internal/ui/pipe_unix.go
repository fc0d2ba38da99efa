// SPDX-License-Identifier: Apache-2.0

//go:build unix

package ui

import "golang.org/x/sys/unix"

// outputIsBroken reports whether the standard output or error is a pipe without a reader. The signal alone does not tell: once it is
// asked for, Go delivers it for every pipe and socket, such as the standard input of a hook that does not read it.
func outputIsBroken() bool {
	outputs := []unix.PollFd{{Fd: int32(unix.Stdout)}, {Fd: int32(unix.Stderr)}}
	if _, err := unix.Poll(outputs, 0); err != nil {
		return false
	}
	for _, o := range outputs {
		if o.Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return true
		}
	}
	return false
}
