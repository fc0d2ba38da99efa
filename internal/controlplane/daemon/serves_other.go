// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package daemon

import (
	"errors"
	"os"
	"syscall"
)

// checkServes accepts any process: the seal and the mode of the directory that names it are what counts here.
func checkServes(int, string) error { return nil }

// hasEnded reports whether a process is gone. Where there is no signal that asks, none is known to be.
func hasEnded(p *os.Process) bool {
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
