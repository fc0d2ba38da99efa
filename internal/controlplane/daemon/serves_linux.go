// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// checkServes returns an error unless a process is this user's and is the one that Start starts for the project in root. One
// that does not exist is os.ErrProcessDone.
func checkServes(pid int, root string) error {
	dir := "/proc/" + strconv.Itoa(pid)
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.ErrProcessDone
	} else if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return errors.New("it belongs to another user, so crdctl does not stop it")
	}
	cmdline, err := os.ReadFile(dir + "/cmdline")
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH), err == nil && len(cmdline) == 0: // its parent has not waited for it yet
		return os.ErrProcessDone
	case err != nil:
		return err
	case !serves(strings.Split(string(cmdline), "\x00"), root):
		return fmt.Errorf("it is not the control plane of %s, so crdctl does not stop it", root)
	}
	return nil
}

// serves reports whether a command line is "crdctl cluster serve --dir ROOT".
func serves(args []string, root string) bool {
	if len(args) < 5 || args[1] != "cluster" || args[2] != "serve" || args[3] != "--dir" {
		return false
	}
	want, err1 := os.Stat(root)
	got, err2 := os.Stat(args[4]) // it may have another name
	return err1 == nil && err2 == nil && os.SameFile(want, got)
}

// hasEnded reports whether a process is gone, also one that its parent has not waited for.
func hasEnded(p *os.Process) bool {
	if errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return true
	}
	cmdline, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/cmdline")
	return err == nil && len(cmdline) == 0
}
