//go:build !unix

package proc

import (
	"os"
	"syscall"
)

func sysProcAttr() *syscall.SysProcAttr { return nil }

// askToStop kills: there is no signal that asks.
func askToStop(p *os.Process, _ os.Signal) error { return p.Kill() }

func killGroup(int) {}

func wasKilled(*os.ProcessState) bool { return false }
