// SPDX-License-Identifier: Apache-2.0

//go:build unix

package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// parent starts a child in a session of its own, prints its pid, and waits.
func parent() {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "PROC_TEST_CHILD=ignore")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		panic(err)
	}
	os.Stdout.WriteString(strconv.Itoa(c.Process.Pid) + "\n") //nolint:errcheck // the test sees it
	time.Sleep(time.Hour)
}
