package tree

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	tr := New()
	for p, content := range files {
		require.NoError(t, tr.Add(p, []byte(content)))
	}
	tr.Own(Area{
		Dir: "gen", Tool: "test-gen",
		Match: func(p string) bool { return strings.HasSuffix(p, ".go") },
		Owns:  func(_ string, b []byte) bool { return bytes.HasPrefix(b, []byte("// generated")) },
	})
	return tr
}

func describe(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "%s %s\n", c.Op, c.Path)
	}
	return b.String()
}

func TestDiffAndWrite(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{
		"gen/equal.go":     "// generated same",
		"gen/stale.go":     "// generated old",
		"gen/old/left.go":  "// generated left over",
		"gen/expansion.go": "// by hand",
		"gen/notes.txt":    "// generated, but not a Go file",
		"other/left.go":    "// generated, elsewhere",
	})
	tr := newTree(t, map[string]string{
		"gen/equal.go": "// generated same", "gen/stale.go": "// generated new", "gen/new/deep/new.go": "// generated",
	})
	before, err := os.Stat(filepath.Join(root, "gen/equal.go"))
	require.NoError(t, err)
	changes, err := tr.Diff(root)
	require.NoError(t, err)
	require.Equal(t, "create gen/new/deep/new.go\ndelete gen/old/left.go\nupdate gen/stale.go\n", describe(changes), "changes")
	require.NoError(t, Write(root, changes))
	if changes, err = tr.Diff(root); err != nil || len(changes) != 0 {
		t.Errorf("after Write, Diff finds %s, %v", describe(changes), err)
	}
	after, err := os.Stat(filepath.Join(root, "gen/equal.go"))
	require.NoError(t, err, "an equal file was touched")
	assert.True(t, os.SameFile(before, after), "an equal file was touched")
	_, err = os.Stat(filepath.Join(root, "gen/old"))
	assert.True(t, os.IsNotExist(err), "the folder of a left-over file is still there: %v", err)
	entries, _ := filepath.Glob(filepath.Join(root, ".*"))
	assert.Empty(t, entries, "left behind")
}

func TestDiffRefusesToOverwriteByHand(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"gen/a.go": "// by hand"})
	_, err := newTree(t, map[string]string{"gen/a.go": "// generated"}).Diff(root)
	want := "gen/a.go was not written by test-gen, and would be overwritten; move it away, or delete it if it is not needed"
	assert.EqualError(t, err, want)
}

// What a power failure leaves of a file is nobody's work.
func TestDiffMendsTornFiles(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"gen/a.go": "", "gen/b.go": "\x00\x00\x00"})
	changes, err := newTree(t, map[string]string{"gen/a.go": "// generated", "gen/b.go": "// generated"}).Diff(root)
	if got, want := describe(changes), "update gen/a.go\nupdate gen/b.go\n"; err != nil || got != want {
		t.Errorf("%v\n%swant:\n%s", err, got, want)
	}
}

func TestAddRefuses(t *testing.T) {
	tr := New()
	require.NoError(t, tr.Add("a.go", nil))
	for _, p := range []string{"a.go", "../a.go", "/a.go", "", ".", "a//b", `a\b`, "a/../../b"} {
		assert.Error(t, tr.Add(p, nil), "Add(%q) is no error", p)
	}
}

func TestWriteDoesNotFollowLinksOutOfTheRoot(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "gen")))
	tr := New()
	require.NoError(t, tr.Add("gen/a.go", []byte("x")))
	changes, err := tr.Diff(root)
	if err == nil {
		err = Write(root, changes)
	}
	assert.Error(t, err, "a link that leads out of the root was followed")
	entries, _ := os.ReadDir(outside)
	assert.Empty(t, entries, "written outside the root")
}

func TestFailureBeforeTheFirstRenameChangesNothing(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"a.txt": "old", "file": "not a folder"})
	changes := []Change{
		{Path: "a.txt", Op: Update, New: []byte("new"), mode: 0o644},
		{Path: "made/b.txt", Op: Create, New: []byte("b"), mode: 0o644},
		{Path: "file/c.txt", Op: Create, New: []byte("c"), mode: 0o644},
	}
	err := Write(root, changes)
	if err == nil || !strings.Contains(err.Error(), "file/c.txt") || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
	data, _ := os.ReadFile(filepath.Join(root, "a.txt"))
	assert.Equal(t, "old", string(data), "a.txt")
	_, err = os.Stat(filepath.Join(root, "made"))
	assert.True(t, os.IsNotExist(err), "a folder that nothing is in was left behind")
}

func TestWriteKeepsModes(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"private": "old"})
	require.NoError(t, os.Chmod(filepath.Join(root, "private"), 0o600))
	tr := New()
	require.NoError(t, tr.Add("private", []byte("new")))
	require.NoError(t, tr.AddExecutable("run.sh", []byte("#!/bin/sh\n")))
	changes, err := tr.Diff(root)
	require.NoError(t, err)
	require.NoError(t, Write(root, changes))
	for name, want := range map[string]os.FileMode{"private": 0o600, "run.sh": 0o755} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v (%v)", name, info.Mode().Perm(), want, err)
		}
	}
}

// A run that was killed leaves its staging folder; the next one takes it away, also if it has nothing to write.
func TestWriteSweeps(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{stagePrefix + "1/lock": "", stagePrefix + "1/journal.part": sealed(t, "[]"), stagePrefix + "1/0": "x"})
	require.NoError(t, Write(root, nil))
	left, _ := filepath.Glob(filepath.Join(root, stagePrefix+"*"))
	assert.Empty(t, left, "after a sweep")
}

func TestPatchApplies(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"gen/change.go": "// generated\na\nb\nc\n", "gen/left.go": "// generated\n", "gen/noeol.go": "// generated x"})
	tr := newTree(t, map[string]string{"gen/change.go": "// generated\na\nB\nc\n", "gen/new.go": "// generated\nnew\n", "gen/noeol.go": "// generated y"})
	changes, err := tr.Diff(root)
	require.NoError(t, err)
	var patch strings.Builder
	for _, c := range changes {
		patch.WriteString(c.Patch())
	}
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir = root
	cmd.Stdin = strings.NewReader(patch.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, patch.String())
	}
	if changes, err = tr.Diff(root); err != nil || len(changes) != 0 {
		t.Errorf("after the patch: %s, %v\n%s", describe(changes), err, patch.String())
	}
}

func FuzzAddStaysInside(f *testing.F) {
	for _, p := range []string{"a/b", "../x", "a/../../x", "/x", "a/./b", "C:\\x", "a\x00b", "..."} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		tr := New()
		if tr.Add(p, []byte("x")) != nil {
			return
		}
		full := filepath.Join("/home/project", filepath.FromSlash(p))
		assert.True(t, strings.HasPrefix(full, "/home/project/"), "%q leads to %s", p, full)
	})
}
