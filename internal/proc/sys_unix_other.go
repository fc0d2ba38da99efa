// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package proc

import "syscall"

func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
