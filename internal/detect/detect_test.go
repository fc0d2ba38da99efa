package detect

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
)

var update = flag.Bool("update", false, "write the wanted settings and findings anew")

// The repositories in testdata have no more than what a discovery reads: marks, imports and tags. Each archive ends in what is
// found in it.
func TestRepositories(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			root := unpack(t, archive)
			before := listing(t, root)
			got := map[string]string{}
			found, err := Project(root)
			if err != nil {
				got["want/error"] = strings.ReplaceAll(err.Error(), root, "ROOT") + "\n"
			} else {
				got["want/line"] = found.Line() + "\n"
				got["want/crdctl.yaml"] = string(found.YAML())
				got["want/unread"] = unread(found)
				holds(t, found)
			}
			assert.Equal(t, before, listing(t, root), "the repository changed: %s")
			compare(t, file, archive, got)
		})
	}
}

// holds checks that the file that is written means what was found.
func holds(t *testing.T, f *Found) {
	t.Helper()
	again, err := config.Parse(config.FileName, f.YAML())
	require.NoError(t, err, "the written file does not load")
	assert.Equal(t, f.Project, again, "the written file means: %s")
	for _, s := range f.Settings {
		assert.NotEmpty(t, s.Source, "%s has no source", s.Field)
	}
}

func unread(f *Found) string {
	var b strings.Builder
	for _, u := range f.Unread {
		if u.Note {
			b.WriteString("note: ")
		}
		fmt.Fprintln(&b, u)
	}
	return b.String()
}

func unpack(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		full := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, f.Data, 0o644))
	}
	return root
}

func listing(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(root, func(p string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, p, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	require.NoError(t, err)
	return b.String()
}

func compare(t *testing.T, file string, a *txtar.Archive, got map[string]string) {
	t.Helper()
	if *update {
		var kept []txtar.File
		for _, f := range a.Files {
			if !strings.HasPrefix(f.Name, "want/") {
				kept = append(kept, f)
			}
		}
		a.Files = kept
		for _, name := range []string{"want/error", "want/line", "want/crdctl.yaml", "want/unread"} {
			if text, ok := got[name]; ok {
				a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
			}
		}
		require.NoError(t, os.WriteFile(file, txtar.Format(a), 0o644))
		return
	}
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			continue
		}
		assert.Equal(t, string(f.Data), got[f.Name], f.Name)
		delete(got, f.Name)
	}
	for name, text := range got {
		t.Errorf("%s, which the archive does not want:\n%s", name, text)
	}
}

// What was found does not depend on the order in which files were read.
func TestTwiceTheSame(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "tree.txtar"))
	require.NoError(t, err)
	root := unpack(t, archive)
	first, err := Project(root)
	require.NoError(t, err)
	for range 10 {
		again, err := Project(root)
		require.NoError(t, err)
		require.Equal(t, first, again, "found: %s")
	}
}

// A run without a project file discovers each time: that must not be felt.
func BenchmarkProject(b *testing.B) {
	root := b.TempDir()
	types := "package v1\n\n// +genclient\n// +k8s:deepcopy-gen=true\ntype T struct{}\n" + strings.Repeat("// A comment of a line.\n", 200)
	for i := range 2000 {
		dir := filepath.Join(root, "pkg", "apis", fmt.Sprintf("g%d", i%50), "v1")
		require.NoError(b, os.MkdirAll(dir, 0o755))
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(types), 0o644))
	}
	require.NoError(b, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/large\n"), 0o644))
	for b.Loop() {
		_, err := Project(root)
		require.NoError(b, err)
	}
}
