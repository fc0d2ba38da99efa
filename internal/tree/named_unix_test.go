// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tree

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// named reports whether a file still has a name.
func named(t *testing.T, f *os.File) bool {
	t.Helper()
	info, err := f.Stat()
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t).Nlink > 0
}
