// SPDX-License-Identifier: Apache-2.0

//go:build unix

package proc

import (
	"os"
	"syscall"
)

func askToStop(p *os.Process, with os.Signal) error { return p.Signal(with) }

// signalGroup asks all processes of a group.
func signalGroup(pid int, with os.Signal) {
	if s, ok := with.(syscall.Signal); ok {
		_ = syscall.Kill(-pid, s)
	}
}

// killGroup ends what the child left behind: its own children, if it did not wait for them.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func wasKilled(s *os.ProcessState) bool {
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
