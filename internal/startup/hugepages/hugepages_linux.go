// SPDX-License-Identifier: Apache-2.0

package hugepages

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// address is that of the reserved part, which Go neither moves nor unmaps, or 0.
var address atomic.Uintptr

func start() {
	if _, limited := syscall.Getenv("GOMEMLIMIT"); limited || !reserve() {
		return
	}
	runtime.GC() // of nearly nothing: it makes the reserved part free for others
}

// reserve is a function of its own so that nothing refers to the memory when it returns.
//
//go:noinline
func reserve() bool {
	b := make([]byte, size)
	if syscall.Madvise(b, syscall.MADV_HUGEPAGE) != nil {
		return false
	}
	address.Store(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) //nolint:gosec // for the kernel, which is asked about it again
	return true
}

func stop() {
	if at := address.Swap(0); at != 0 {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at, size, syscall.MADV_NOHUGEPAGE)
	}
}
