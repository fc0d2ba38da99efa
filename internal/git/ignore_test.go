// SPDX-License-Identifier: Apache-2.0

package git

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIgnores(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "operator")
	write := func(file, content string) {
		t.Helper()
		full := filepath.Join(top, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := Command(t.Context(), top, args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("operator/.gitignore", "*.yaml\n!kept.yaml\nout/\n**/zz_generated.*\n**/gen/api\ntop/x\n/pkg/apis/**/zz.go\n")
	write("operator/config/committed.yaml", "a")
	write("operator/out/crds/a.txt", "a")
	write("config/other.yaml", "a")
	git("init", "-q")
	git("add", "-f", ".")
	if err := os.RemoveAll(filepath.Join(root, "config")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	tree := NewTree(root)
	for file, ignored := range map[string]bool{
		"config/new.yaml":        true,
		"config/other.yaml":      true, // of another directory
		"config/committed.yaml":  false,
		"config/kept.yaml":       false,
		"config/types.go":        false,
		"zz_generated.a.go":      true,
		"api/v1/zz_generated.go": true,
		"a/b/gen/api/a.go":       true,
		"gen/api":                true,
		"gen/a.go":               false,
		"pkg/apis/zz.go":         true,
		"pkg/apis/a/v1/zz.go":    true,
		"a/pkg/apis/v1/zz.go":    false,
		"top/x/a.go":             true,
		"a/top/x":                false,
		"out/crds":               false,
		"out/bases":              true,
		"ut/crds/x.yaml":         true, // the end of a name
	} {
		if got := tree.Ignores(file); got != ignored {
			t.Errorf("Ignores(%s) = %v, want %v", file, got, ignored)
		}
	}
}
