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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is allocated after Start is in the part of the heap for which large pages were asked, and after Stop they are not asked for.
func TestHeap(t *testing.T) {
	Start()
	allocated := make([][]byte, 32)
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

// A limit of the process's memory counts what Go has from the system, used or not: there must be no more of that than without large pages.
func TestMemoryLimit(t *testing.T) {
	if os.Getenv("GOMEMLIMIT") == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestMemoryLimit$")
		again.Env = append(os.Environ(), "GOMEMLIMIT=180MiB")
		out, err := again.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	Start()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	assert.Less(t, m.Sys-m.HeapReleased, uint64(size/2))
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
