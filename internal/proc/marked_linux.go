// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// killMarkedOnce kills the processes that have a mark now, and returns how many there were.
func killMarkedOnce(mark string) (found int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || !ownAndMarked(pid, mark) {
			continue
		}
		found++
		// The handle is a pidfd: a process that gets the same number after this is another one. Whether it already did
		// before is what the second look tells.
		p, err := os.FindProcess(pid)
		if err != nil {
			continue
		}
		if ownAndMarked(pid, mark) {
			_ = p.Kill() // that it ended meanwhile is all right
		}
		_ = p.Release()
	}
	return found
}

// ownAndMarked reports whether a process is this user's, and its environment has the mark. That of a process that has ended, and is not
// waited for yet, is empty.
func ownAndMarked(pid int, mark string) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
		return false
	}
	environment, err := os.ReadFile(dir + "/environ")
	if err != nil || !bytes.Contains(environment, []byte(Marker+"="+mark)) {
		return false
	}
	for entry := range bytes.SplitSeq(environment, []byte{0}) {
		if isMarked(string(entry), mark) {
			return true
		}
	}
	return false
}
