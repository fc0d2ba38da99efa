// SPDX-License-Identifier: Apache-2.0

//go:build unix

package daemon

import (
	"os"
	"syscall"
)

// detached gives the process a session of its own: no Ctrl-C and no closing of a terminal reaches it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func askToStop(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
