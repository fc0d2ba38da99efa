// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A package whose import path is below that of another one, and whose directory is not, as k8s.io/klog/v2 next to k8s.io/klog, is not linked into
// the directory of that one: both may be in the module cache or in the project.
func TestLinkOfModulesBelowOthers(t *testing.T) {
	dir, src := t.TempDir(), filepath.Join(t.TempDir(), "src")
	safefstest.WriteAll(t, dir, "package p\n", "log@v1/log.go", "log@v1/sub/sub.go", "log/v2@v2/log.go", "log/v2@v2/inner/inner.go")
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	require.NoError(t, link(src, map[string]string{
		"example.com/log": at("log@v1"), "example.com/log/sub": at("log@v1/sub"),
		"example.com/log/v2": at("log/v2@v2"), "example.com/log/v2/inner": at("log/v2@v2/inner"),
	}))
	for _, name := range []string{"log/log.go", "log/sub/sub.go", "log/v2/log.go", "log/v2/inner/inner.go"} {
		assert.FileExists(t, filepath.Join(src, "example.com", name))
	}
	left, err := os.ReadDir(at("log@v1"))
	require.NoError(t, err)
	assert.Len(t, left, 2, "only its own file and directory")
}
