//go:build unix

package proc

import (
	"os"
	"syscall"
)

func askToStop(p *os.Process, with os.Signal) error { return p.Signal(with) }

// killGroup ends what the child left behind: its own children, if it did not wait for them.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func wasKilled(s *os.ProcessState) bool {
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
