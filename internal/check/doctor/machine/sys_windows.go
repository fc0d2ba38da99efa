// SPDX-License-Identifier: Apache-2.0

package machine

import "golang.org/x/sys/windows"

// freeIn is the room for a user's files on the disk of a directory.
func freeIn(dir string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}

func inotify() *Inotify { return nil }
