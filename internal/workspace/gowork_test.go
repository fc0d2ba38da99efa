// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A copy means the same from elsewhere, but for the module that was moved, and the original stays.
func TestCopyGoWork(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	original := "go 1.26.0\n\nuse (\n\t./a\n\t./b\n\t../c\n)\n\nreplace example.com/d => ./d\n\nreplace example.com/e => example.com/e v1.2.3\n"
	safefstest.WriteFiles(t, from, map[string]string{"go.work": original, "go.work.sum": "sums\n"})
	file, module := filepath.Join(from, "go.work"), filepath.Join(from, "b")
	err := CopyGoWork(file, to, func(dir string) string {
		if dir == module {
			return "/elsewhere"
		}
		return dir
	})
	require.NoError(t, err)
	data := safefstest.Read(t, filepath.Join(to, "go.work"))
	work, err := modfile.ParseWork("go.work", []byte(data), nil)
	require.NoError(t, err)
	var used []string
	for _, u := range work.Use {
		used = append(used, filepath.FromSlash(u.Path))
	}
	assert.ElementsMatch(t, []string{filepath.Join(from, "a"), filepath.FromSlash("/elsewhere"), filepath.Join(filepath.Dir(from), "c")}, used)
	require.Len(t, work.Replace, 2, data)
	assert.Equal(t, filepath.Join(from, "d"), filepath.FromSlash(work.Replace[0].New.Path))
	assert.Equal(t, "sums\n", safefstest.Read(t, filepath.Join(to, "go.work.sum")))
	assert.Equal(t, original, safefstest.Read(t, file))
}
