//go:build unix

package tree

import (
	"os"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// named reports whether a file still has a name.
func named(t *testing.T, f *os.File) bool {
	t.Helper()
	info, err := f.Stat()
	safefstest.Must(t, err)
	return info.Sys().(*syscall.Stat_t).Nlink > 0
}
