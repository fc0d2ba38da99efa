// SPDX-License-Identifier: Apache-2.0

package fswatch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const patience = 30 * time.Second

func write(t *testing.T, path string) {
	t.Helper()
	writeText(t, path, time.Now().String())
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func next(t *testing.T, w *Watcher) Change {
	t.Helper()
	select {
	case c := <-w.Changes:
		return c
	case err := <-w.Errors:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("no change")
	}
	return Change{}
}

// files are the sources of a change, each once.
func files(c Change) string {
	slices.Sort(c.Sources)
	return strings.Join(slices.Compact(c.Sources), " ")
}

func TestWatcher(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"))
	write(t, filepath.Join(root, "config/crd/a.yaml"))
	write(t, filepath.Join(root, ".git/HEAD.go"))
	w, err := New(root, []string{"config/crd"})
	require.NoError(t, err)
	defer w.Close()

	// What means nothing comes first; if it were handed out, it would be in the first change.
	write(t, filepath.Join(root, "README.md"))
	write(t, filepath.Join(root, ".git/HEAD.go"))
	write(t, filepath.Join(root, ".main.go.swp"))
	write(t, filepath.Join(root, "main.go"))
	write(t, filepath.Join(root, "go.mod"))
	if c := next(t, w); files(c) != "go.mod main.go" || len(c.Manifests) > 0 {
		t.Errorf("change %+v, want go.mod and main.go", c)
	}
	write(t, filepath.Join(root, "config/crd/a.yaml"))
	if c := next(t, w); files(c) != "" || !c.Below("config/crd") {
		t.Errorf("change %+v, want the manifests", c)
	}
	// A directory that is new: what is in it when it is noticed, and what comes later.
	write(t, filepath.Join(root, "pkg/apis/types.go"))
	assert.Equal(t, "pkg/apis/types.go", files(next(t, w)))
	write(t, filepath.Join(root, "pkg/apis/doc.go"))
	assert.Equal(t, "pkg/apis/doc.go", files(next(t, w)))
	// A directory that goes.
	require.NoError(t, os.Rename(filepath.Join(root, "pkg"), filepath.Join(t.TempDir(), "pkg")))
	assert.NotEmpty(t, next(t, w).Sources, "a directory of sources is gone")
}

// A directory that is gone is news if it had sources, also in one below it, and also if it was only moved away.
func TestDirectoriesThatAreGone(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "docs/api/index.html"))
	write(t, filepath.Join(root, "pkg/apis/v1/types.go"))
	w, err := New(root, nil)
	require.NoError(t, err)
	defer w.Close()

	require.NoError(t, os.RemoveAll(filepath.Join(root, "docs")))
	write(t, filepath.Join(root, "pkg/apis/v1/types.go"))
	assert.Equal(t, "pkg/apis/v1/types.go", files(next(t, w)))
	require.NoError(t, os.Rename(filepath.Join(root, "pkg"), filepath.Join(t.TempDir(), "pkg")))
	assert.Equal(t, "pkg/doc.go", files(next(t, w)))
}

// Where manifests are in the root, what a run writes there does not count as one.
func TestManifestsInTheRoot(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "deployment.yaml"))
	w, err := New(root, []string{".", "settings.env"})
	require.NoError(t, err)
	defer w.Close()

	write(t, filepath.Join(root, "run.crdctl.gz"))
	write(t, filepath.Join(root, "deployment.yaml"))
	write(t, filepath.Join(root, "settings.env"))
	c := next(t, w)
	slices.Sort(c.Manifests)
	assert.Equal(t, []string{"deployment.yaml", "settings.env"}, slices.Compact(c.Manifests))
}

// The settings may lie anywhere, also in a directory that is skipped; what else is there stays skipped.
func TestSettings(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"crdctl.yaml", "_hack/boilerplate.go.txt", "main.go"} {
		write(t, filepath.Join(root, file))
	}
	w, err := New(root, nil, "crdctl.yaml", "_hack/boilerplate.go.txt", "nowhere/header.txt")
	require.NoError(t, err)
	defer w.Close()
	write(t, filepath.Join(root, "_hack/tool.go"))
	write(t, filepath.Join(root, "other.yaml"))
	write(t, filepath.Join(root, "main.go"))
	if c := next(t, w); files(c) != "main.go" || c.Settings {
		t.Errorf("change %+v, want main.go", c)
	}
	write(t, filepath.Join(root, "_hack/boilerplate.go.txt"))
	if c := next(t, w); files(c) != "" || !c.Settings {
		t.Errorf("change %+v, want the settings", c)
	}
	// As editors save: a new file is renamed into the place of the old one.
	write(t, filepath.Join(root, ".crdctl.yaml.swp"))
	require.NoError(t, os.Rename(filepath.Join(root, ".crdctl.yaml.swp"), filepath.Join(root, "crdctl.yaml")))
	if c := next(t, w); files(c) != "" || !c.Settings {
		t.Errorf("change %+v, want the settings", c)
	}
}

func TestIn(t *testing.T) {
	for file, want := range map[string]bool{
		"pkg/apis/v1/types.go": true, "pkg/apis/v1/zz_generated.deepcopy.go": false, "pkg/apis/v1/types_test.go": false,
		"pkg/apisx/types.go": false, "main.go": false,
	} {
		assert.Equal(t, want, (Change{Sources: []string{file}}).In([]string{"pkg/apis"}), file)
		assert.Equal(t, want || file == "main.go" || file == "pkg/apisx/types.go", (Change{Sources: []string{file}}).In([]string{"."}), "%s in .", file)
	}
}
