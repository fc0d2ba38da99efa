// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package proc

import (
	"os"
	"syscall"
)

func sysProcAttr() *syscall.SysProcAttr { return nil }

// askToStop kills: there is no signal that asks.
func askToStop(p *os.Process, _ os.Signal) error { return p.Kill() }

// signalGroup kills: there is no signal that asks.
func signalGroup(pid int, _ os.Signal) { killGroup(pid) }

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func wasKilled(*os.ProcessState) bool { return false }
