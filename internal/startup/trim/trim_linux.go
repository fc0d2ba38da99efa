package trim

import (
	"syscall"
	"unsafe"

	"github.com/prometheus/procfs"
)

// Program gives back the memory of the program's own file: the initialisers of all that is linked in touch most of its
// 250 MB, of which a command needs little again. What is needed is mapped again from the page cache when it is touched.
// Trouble is no error: the process is larger than it need be, and that is all.
func Program() {
	self, err := procfs.Self()
	if err != nil {
		return
	}
	exe, err1 := self.Executable()
	maps, err2 := self.ProcMaps()
	if err1 != nil || err2 != nil || exe == "" { // no name is also that of each mapping that has no file
		return
	}
	before := &procfs.ProcMap{Perms: &procfs.ProcMapPermissions{}}
	for _, m := range maps {
		if m.Pathname != exe {
			continue
		}
		// What was written to would be lost: the data, and what lies right before it, which the loader wrote to and then
		// protected.
		if !m.Perms.Write && !before.Perms.Write {
			drop(before)
		}
		before = m
	}
}

func drop(m *procfs.ProcMap) {
	if m.EndAddr > m.StartAddr {
		pages := unsafe.Slice((*byte)(unsafe.Pointer(m.StartAddr)), m.EndAddr-m.StartAddr) //nolint:govet,gosec // the kernel's address, not the collector's
		_ = syscall.Madvise(pages, syscall.MADV_DONTNEED)
	}
}
