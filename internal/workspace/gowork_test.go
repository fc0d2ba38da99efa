package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/modfile"
)

// A copy means the same from elsewhere, but for the module that was moved, and the original stays.
func TestCopyGoWork(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	original := "go 1.26.0\n\nuse (\n\t./a\n\t./b\n\t../c\n)\n\nreplace example.com/d => ./d\n\nreplace example.com/e => example.com/e v1.2.3\n"
	for name, content := range map[string]string{"go.work": original, "go.work.sum": "sums\n"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, module := filepath.Join(from, "go.work"), filepath.Join(from, "b")
	err := CopyGoWork(file, to, func(dir string) string {
		if dir == module {
			return "/elsewhere"
		}
		return dir
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(to, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, u := range work.Use {
		used[filepath.FromSlash(u.Path)] = true
	}
	for _, dir := range []string{filepath.Join(from, "a"), filepath.FromSlash("/elsewhere"), filepath.Join(filepath.Dir(from), "c")} {
		if !used[dir] {
			t.Errorf("%s is not used; the copy is:\n%s", dir, data)
		}
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
