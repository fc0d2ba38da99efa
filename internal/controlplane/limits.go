// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package controlplane

import (
	"fmt"
	"syscall"
)

const (
	// diskNeeded is what etcd writes ahead for its log, twice, and room for the objects. When it finds no room, it ends
	// the process, or panics.
	diskNeeded = 200 << 20
	// filesNeeded is what the API server and etcd have open at once, with some room. Without it they end the process.
	filesNeeded = 256
)

// checkLimits says what would end a control plane with its data in dir before it is of use.
func checkLimits(dir string) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err == nil {
		if free := disk.Bavail * uint64(disk.Bsize); free < diskNeeded {
			return fmt.Errorf("%s has %d MB free, but etcd needs %d; free some space, or use another directory with TMPDIR or --data-dir", dir, free>>20, diskNeeded>>20)
		}
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur < filesNeeded {
		return fmt.Errorf("the limit of open files is %d, but the API server and etcd need %d; raise it with \"ulimit -n\"", files.Cur, filesNeeded)
	}
	return nil
}
