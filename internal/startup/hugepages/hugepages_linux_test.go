// SPDX-License-Identifier: Apache-2.0

package hugepages

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is allocated after Start is in the part of the heap for which large pages were asked, and after Stop they are not asked for.
func TestHeap(t *testing.T) {
	if !alone(t) {
		return
	}
	Start()
	allocated := make([][]byte, 128)
	for i := range allocated {
		allocated[i] = make([]byte, 1<<20)
	}
	large := 0
	for _, b := range allocated {
		if slices.Contains(flags(t, b), "hg") {
			large++
		}
	}
	assert.Greater(t, large, len(allocated)/2)

	Stop()
	for _, b := range allocated {
		assert.NotContains(t, flags(t, b), "hg")
	}
	runtime.KeepAlive(allocated)
}

// Where the heap was in use before, nothing of the part is touched either.
func TestStartTouchesNothing(t *testing.T) {
	if !alone(t) {
		return
	}
	used = make([]byte, size/16)
	used = nil
	runtime.GC()
	before := resident(t)
	Start()
	assert.Less(t, resident(t)-before, size/4)
}

var used []byte

// resident is how much memory the process has in use, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	self, err := procfs.Self()
	require.NoError(t, err)
	stat, err := self.Stat()
	require.NoError(t, err)
	return stat.ResidentMemory()
}

// A limit of the process's memory counts what Go has from the system, used or not: there must be no more of that than without large pages.
func TestMemoryLimit(t *testing.T) {
	if !alone(t, "GOMEMLIMIT=180MiB") {
		return
	}
	Start()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	assert.Less(t, m.Sys-m.HeapReleased, uint64(size/2))
}

// alone reports whether this is a process for the test, which else it runs in one: what was in use before decides where memory is.
func alone(t *testing.T, environ ...string) bool {
	t.Helper()
	if os.Getenv("CRDCTL_ALONE") != "" {
		return true
	}
	again := exec.Command(os.Args[0], "-test.count=1", "-test.run=^"+t.Name()+"$")
	again.Env = append(append(os.Environ(), "CRDCTL_ALONE=1"), environ...)
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return false
}

// flags are the kernel's of the mapping that has the middle of b, from smaps: a line with the addresses of each, then lines of which one
// begins with VmFlags.
func flags(t *testing.T, b []byte) []string {
	t.Helper()
	content, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	middle := uint64(uintptr(unsafe.Pointer(&b[len(b)/2])))
	in := false
	for line := range strings.Lines(string(content)) {
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			in = from <= middle && middle < to
		}
		if after, ok := strings.CutPrefix(line, "VmFlags:"); ok && in {
			return strings.Fields(after)
		}
	}
	require.Fail(t, "no mapping has the memory")
	return nil
}
