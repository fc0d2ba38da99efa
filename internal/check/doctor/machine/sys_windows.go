// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// freeIn is the room for a user's files on the disk of a directory, and which disk that is.
func freeIn(dir string) (free uint64, disk string, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, "", err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, filepath.VolumeName(dir), err
}

func inotify() *Inotify { return nil }
