// SPDX-License-Identifier: Apache-2.0

//go:build unix

package machine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// freeIn is the room for a user's files on the disk of a directory, and which disk that is.
func freeIn(dir string) (free uint64, disk string, err error) {
	var fs unix.Statfs_t
	var file unix.Stat_t
	if err := errors.Join(unix.Statfs(dir, &fs), unix.Stat(dir, &file)); err != nil {
		return 0, "", err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), fmt.Sprint(file.Dev), nil
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
