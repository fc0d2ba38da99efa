// SPDX-License-Identifier: Apache-2.0

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
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

var update = flag.Bool("update", false, "write the wanted settings and findings anew")

// The repositories in testdata have no more than what a discovery reads: marks, imports and tags. Each archive ends in what is
// found in it, whatever the order in which files were read.
func TestRepositories(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, file := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			want, kept := map[string]string{}, []txtar.File{}
			for _, f := range archive.Files {
				if strings.HasPrefix(f.Name, "want/") {
					want[f.Name] = string(f.Data)
				} else {
					kept = append(kept, f)
				}
			}
			root := unpack(t, kept)
			before := listing(t, root)
			got := discover(t, root)
			for range 9 {
				require.Equal(t, got, discover(t, root), "found in another run")
			}
			assert.Equal(t, before, listing(t, root), "the repository changed")
			if *update {
				for _, name := range []string{"want/error", "want/line", "want/crdctl.yaml", "want/unread"} {
					if text, ok := got[name]; ok {
						kept = append(kept, txtar.File{Name: name, Data: []byte(text)})
					}
				}
				archive.Files = kept
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			assert.Equal(t, want, got)
		})
	}
}

// inferred gives settings what was inferred and is not written down.
func inferred(p, found *config.Project) {
	p.HeaderText = found.HeaderText
	for i, c := range found.ControllerGen.Calls {
		if i < len(p.ControllerGen.Calls) {
			p.ControllerGen.Calls[i].Inferred = c.Inferred
		}
	}
}

// discover returns what is found in a repository, and checks that the file that is written means that.
func discover(t *testing.T, root string) map[string]string {
	t.Helper()
	found, err := Project(root)
	if err != nil {
		return map[string]string{"want/error": strings.ReplaceAll(err.Error(), root, "ROOT") + "\n"}
	}
	again, err := config.Parse(config.FileName, found.YAML())
	require.NoError(t, err, "the written file does not load")
	inferred(again, found.Project)
	assert.Equal(t, found.Project, again, "the written file means something else")
	for field, sources := range found.Sources {
		assert.NotContains(t, sources, "", "%s has no source", field)
	}
	unread := ""
	for _, u := range found.Unread {
		if u.Note {
			unread += "note: "
		}
		unread += u.String() + "\n"
	}
	return map[string]string{"want/line": found.Line() + "\n", "want/crdctl.yaml": string(found.YAML()), "want/unread": unread}
}

func unpack(t *testing.T, files []txtar.File) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range files {
		safefstest.WriteFiles(t, root, map[string]string{f.Name: string(f.Data)})
	}
	return root
}

func listing(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, filepath.Walk(root, func(p string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, p, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	}))
	return b.String()
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
