// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package daemon

import (
	"os"
	"syscall"
)

func detached() *syscall.SysProcAttr { return nil }

// askToStop kills: there is no signal that asks. What the API acknowledged is safe.
func askToStop(p *os.Process) error { return p.Kill() }
