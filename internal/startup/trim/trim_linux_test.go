// SPDX-License-Identifier: Apache-2.0

package trim

import (
	"os"
	"testing"
	"unsafe"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program whose linker is Go's own has its constants, which are half of it, right before its data.
func TestProgramGivesBackCodeAndConstants(t *testing.T) {
	self, err := procfs.Self()
	require.NoError(t, err)
	exe, err := self.Executable()
	require.NoError(t, err)
	maps, err := self.ProcMaps()
	require.NoError(t, err)
	size, sum := uint64(0), byte(0)
	for _, m := range maps {
		if m.Pathname != exe || m.Perms.Write {
			continue
		}
		for at := m.StartAddr; at < m.EndAddr; at += uintptr(os.Getpagesize()) {
			sum += *(*byte)(unsafe.Add(nil, at)) // the kernel's address, not the collector's
		}
		size += uint64(m.EndAddr - m.StartAddr)
	}
	before := fileMemory(t, self)
	require.GreaterOrEqual(t, before, size, "not all was touched: %d", sum)
	Program()
	assert.Less(t, fileMemory(t, self), before-size/2)
}

func fileMemory(t *testing.T, p procfs.Proc) uint64 {
	t.Helper()
	status, err := p.NewStatus()
	require.NoError(t, err)
	return status.RssFile
}
