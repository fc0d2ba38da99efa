package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
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
	data, err := os.ReadFile(filepath.Join(to, "go.work"))
	require.NoError(t, err)
	work, err := modfile.ParseWork("go.work", data, nil)
	require.NoError(t, err)
	used := map[string]bool{}
	for _, u := range work.Use {
		used[filepath.FromSlash(u.Path)] = true
	}
	for _, dir := range []string{filepath.Join(from, "a"), filepath.FromSlash("/elsewhere"), filepath.Join(filepath.Dir(from), "c")} {
		assert.True(t, used[dir], "%s is not used; the copy is:\n%s", dir, data)
	}
	if len(used) != 3 || len(work.Replace) != 2 || filepath.FromSlash(work.Replace[0].New.Path) != filepath.Join(from, "d") {
		t.Errorf("the copy is:\n%s", data)
	}
	if sums, err := os.ReadFile(filepath.Join(to, "go.work.sum")); err != nil || string(sums) != "sums\n" {
		t.Errorf("the sums are %q, %v", sums, err)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != original {
		t.Errorf("the original is %q, %v", now, err)
	}
}
