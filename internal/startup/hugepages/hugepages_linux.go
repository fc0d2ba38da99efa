// SPDX-License-Identifier: Apache-2.0

package hugepages

import (
	"runtime"
	"strings"
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

// reserve is a function of its own so that nothing refers to the memory when it returns. A Builder does not set it to zero, as make does
// where a part was in use before: that would touch all pages.
//
//go:noinline
func reserve() bool {
	var b strings.Builder
	b.Grow(size)
	_ = b.WriteByte(0)
	at := uintptr(unsafe.Pointer(unsafe.StringData(b.String()))) //nolint:gosec // for the kernel alone
	if !advise(at, syscall.MADV_HUGEPAGE) {
		return false
	}
	address.Store(at)
	runtime.KeepAlive(&b)
	return true
}

func advise(at, advice uintptr) bool {
	page := uintptr(syscall.Getpagesize())
	from := (at + page - 1) &^ (page - 1)
	_, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, (at+size-from)&^(page-1), advice)
	return errno == 0
}

func stop() {
	if at := address.Swap(0); at != 0 {
		advise(at, syscall.MADV_NOHUGEPAGE)
	}
}
