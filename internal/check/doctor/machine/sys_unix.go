// SPDX-License-Identifier: Apache-2.0

//go:build unix

package machine

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// freeIn is the room for a user's files on the disk of a directory.
func freeIn(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}

func inotify() *Inotify {
	if runtime.GOOS != "linux" {
		return nil
	}
	read := func(name string) int {
		data, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
		if err != nil {
			return 0
		}
		n, _ := strconv.Atoi(strings.TrimSpace(string(data))) // 0 for what does not parse
		return n
	}
	i := Inotify{Watches: read("max_user_watches"), Instances: read("max_user_instances")}
	if i.Watches == 0 || i.Instances == 0 {
		return nil
	}
	return &i
}
