package trim

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// Program gives back the memory of the program's own file: the initialisers of all that is linked in touch most of its
// 250 MB, of which a command needs little again. What is needed is mapped again from the page cache when it is touched.
// Trouble is no error: the process is larger than it need be, and that is all.
func Program() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return
	}
	var before mapping
	for line := range strings.Lines(string(maps)) {
		m, ok := parse(line)
		if !ok || m.file != exe {
			continue
		}
		// What was written to would be lost: the data, and what lies right before it, which the loader wrote to and then
		// protected.
		if !m.writable && !before.writable {
			before.drop()
		}
		if m.writable {
			before = mapping{writable: true}
			continue
		}
		before = m
	}
}

// mapping is a part of the address space.
type mapping struct {
	start, end uint64
	writable   bool
	file       string
}

func parse(line string) (m mapping, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 6 {
		return m, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	var err1, err2 error
	m.start, err1 = strconv.ParseUint(from, 16, 64)
	m.end, err2 = strconv.ParseUint(to, 16, 64)
	m.writable, m.file = strings.Contains(fields[1], "w"), fields[5]
	return m, err1 == nil && err2 == nil
}

func (m mapping) drop() {
	if m.end > m.start {
		pages := unsafe.Slice((*byte)(unsafe.Pointer(uintptr(m.start))), m.end-m.start) //nolint:govet,gosec // the kernel's address, not the collector's
		_ = syscall.Madvise(pages, syscall.MADV_DONTNEED)
	}
}
