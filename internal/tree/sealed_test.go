// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

const rootEnv = "CRDCTL_TEST_TREE_ROOT"

// TestMain gives the tests a key of their own, which the processes that they start share.
func TestMain(m *testing.M) {
	if os.Getenv(rootEnv) != "" {
		os.Exit(m.Run())
	}
	os.Exit(safefstest.Run(m))
}

// sealed is the journal of the stage stagePrefix+"1" as crdctl writes it.
func sealed(t *testing.T, journal string) string {
	t.Helper()
	seal, err := safefs.Seal((&stage{name: stagePrefix + "1"}).sealed([]byte(journal)))
	require.NoError(t, err)
	return seal + "\n" + journal
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		require.Equal(t, "windows", runtime.GOOS, err)
		t.Skip(err) // links need a right there that users do not have by default
	}
}

// taken is a journal of a file that a killed run took away: the stage has it, with the mark.
func taken(path string) string {
	return fmt.Sprintf(`[{"path":%q,"old":%q,"new":"00"}]`, path, hash([]byte(mark)))
}

func refusesToRecover(t *testing.T, root string) {
	t.Helper()
	restored, err := Recover(root)
	assert.Error(t, err)
	assert.Empty(t, restored)
}

// A stage that came with a repository has no right seal: it reaches no file, whether through a link or not, and stays.
func TestRecoverLeavesForgedStages(t *testing.T) {
	for name, c := range map[string]struct {
		path    string
		journal func(t *testing.T, journal string) string
	}{
		"without a seal":          {"main.go", func(_ *testing.T, journal string) string { return journal }},
		"an empty seal":           {"main.go", func(_ *testing.T, journal string) string { return "\n" + journal }},
		"through a link":          {"x/hooks/post-checkout", func(_ *testing.T, journal string) string { return journal }},
		"a new file":              {"new.go", func(_ *testing.T, journal string) string { return strings.Repeat("0", 64) + "\n" + journal }},
		"seal of another journal": {"main.go", func(t *testing.T, journal string) string { return strings.TrimSuffix(sealed(t, "[]"), "[]") + journal }},
		"seal of another stage": {"main.go", func(t *testing.T, journal string) string {
			seal, err := safefs.Seal((&stage{name: stagePrefix + "2"}).sealed([]byte(journal)))
			require.NoError(t, err)
			return seal + "\n" + journal
		}},
		"seal of another key": {"main.go", func(t *testing.T, journal string) string {
			home := os.Getenv("XDG_CONFIG_HOME")
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			forged := sealed(t, journal)
			t.Setenv("HOME", home)
			t.Setenv("XDG_CONFIG_HOME", home)
			return forged
		}},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, map[string]string{"main.go": "mine", ".git/config": "git's", ".git/hooks/a": ""})
			link(t, ".git", filepath.Join(root, "x"))
			safefstest.WriteFiles(t, root, map[string]string{
				stagePrefix + "1/lock": "", stagePrefix + "1/0.1": mark, stagePrefix + "1/journal": c.journal(t, taken(c.path)),
			})
			old := contents(t, root)
			refusesToRecover(t, root)
			assert.NoError(t, Write(root, []Change{{Path: "gen.go", Op: Create, New: []byte("gen")}}), "a forged stage is in the way of a command")
			old["gen.go"] = "gen"
			assert.Equal(t, old, contents(t, root))
			left, err := os.ReadDir(filepath.Join(root, stagePrefix+"1"))
			require.NoError(t, err)
			assert.Len(t, left, 3)
		})
	}
}

// With the right seal too, git's own files are not reached, nor is anything through a link or outside. The file stays in the stage.
func TestRecoverReachesNothingOfGits(t *testing.T) {
	for _, path := range []string{
		"x/hooks/post-checkout", "x/new/file", "sub/y/post-checkout", "dir/file", "z/file",
		".git/hooks/pre-commit", "sub/.GIT/config", "git~1/config", "../outside", "/etc/x", ".gitmodules", "a/../../x",
	} {
		t.Run(strings.ReplaceAll(path, "/", "."), func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			safefstest.WriteFiles(t, root, map[string]string{".git/hooks/a": "", "sub/a": "", "dir2/a": ""})
			link(t, ".git", filepath.Join(root, "x"))
			link(t, "../.git/hooks", filepath.Join(root, "sub", "y"))
			link(t, "dir2", filepath.Join(root, "dir"))
			link(t, ".git/modules", filepath.Join(root, "z"))
			stage := stagePrefix + "1"
			safefstest.WriteFiles(t, root, map[string]string{stage + "/lock": "", stage + "/journal": sealed(t, taken(path)), stage + "/0.1": mark})
			refusesToRecover(t, root)
			assert.Equal(t, []string{"root/" + stage + "/0.1"}, saves(t, filepath.Dir(root)))
		})
	}
	for _, path := range []string{".gitignore", ".github/workflows/x.yml", "a.go"} {
		assert.True(t, writable(path), "%s is not put back", path)
	}
}

// Without a key files are written, and the stage of a run that was killed is left as it is.
func TestWriteWithoutAKey(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, "")
	}
	root := project(t, map[string]string{stagePrefix + "1/lock": "", stagePrefix + "1/journal": "\n" + taken("a"), stagePrefix + "1/0.1": mark})
	assert.NoError(t, Write(root, []Change{{Path: "b", Op: Create, New: []byte("b")}}))
	refusesToRecover(t, root)
	assert.Equal(t, map[string]string{"b": "b"}, contents(t, root))
	left, err := filepath.Glob(filepath.Join(root, stagePrefix+"*", "*"))
	require.NoError(t, err)
	assert.Len(t, left, 3)
}

// A run that was killed at the birth of its stage leaves nothing that a seal is needed for.
func TestRecoverRemovesBareStages(t *testing.T) {
	root := project(t, map[string]string{stagePrefix + "1/lock": "", stagePrefix + "2/lock": "", stagePrefix + "2/journal.part": "half of a se"})
	restored, err := Recover(root)
	assert.NoError(t, err)
	assert.Empty(t, restored)
	noStages(t, root)
}

// A link to a directory of the project is followed, and not one to git's.
func TestDiffRefusesGitsDirectory(t *testing.T) {
	root := project(t, map[string]string{".git/hooks/old": "old", ".git/left": "// generated", "elsewhere/a": "", "sub/a": ""})
	link(t, ".git", filepath.Join(root, "x"))
	link(t, "../.git/hooks", filepath.Join(root, "sub", "y"))
	link(t, "elsewhere", filepath.Join(root, "z"))
	for _, path := range []string{"x/config", "x/new/deep/config", "x/hooks/old", "sub/y/post-checkout", ".git/hooks/post-checkout", ".GIT/config"} {
		_, err := newTree(t, map[string]string{path: "new"}).Diff(root)
		assert.Error(t, err, path)
	}
	gone := New()
	gone.Remove("x/left")
	_, err := gone.Diff(root)
	assert.Error(t, err)
	changes := changesOf(t, newTree(t, map[string]string{"z/b": "new", ".github/b": "new", "x.git/b": "new"}), root)
	require.Len(t, changes, 3)
	assert.NoError(t, Write(root, changes))
}
