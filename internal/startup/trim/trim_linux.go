// SPDX-License-Identifier: Apache-2.0

package trim

import (
	"debug/elf"
	"errors"
	"os"
	"syscall"

	"github.com/prometheus/procfs"
)

// Program gives back the memory of the program's own file: the initialisers of all that is linked in touch most of its
// 250 MB, of which a command needs little again. What is needed is mapped again from the page cache when it is touched.
// A failure is not an error: the process is larger than it need be, and that is all.
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
	data, err := dataOffset(exe)
	if err != nil {
		return
	}
	for _, m := range maps {
		if m.Pathname == exe && !m.Perms.Write && m.Offset < data {
			drop(m)
		}
	}
}

// dataOffset returns where the data begin in a program's file. What is mapped from there on must stay, also where it is read-only:
// the loader wrote to it, and then protected it.
func dataOffset(exe string) (int64, error) {
	file, err := elf.Open(exe)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	page := int64(os.Getpagesize())
	for _, segment := range file.Progs { // in the order of their addresses
		if segment.Type == elf.PT_LOAD && segment.Flags&elf.PF_W != 0 {
			return int64(segment.Off) / page * page, nil
		}
	}
	return 0, errors.New("no segment of the program is writable")
}

func drop(m *procfs.ProcMap) {
	if m.EndAddr > m.StartAddr {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.StartAddr, m.EndAddr-m.StartAddr, syscall.MADV_DONTNEED) // by address: these are not the collector's
	}
}
