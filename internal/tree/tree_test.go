// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

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

func changesOf(t *testing.T, tr *Tree, root string) []Change {
	t.Helper()
	changes, err := tr.Diff(root)
	require.NoError(t, err)
	return changes
}

func describe(changes []Change) (lines []string) {
	for _, c := range changes {
		lines = append(lines, string(c.Op)+" "+c.Path)
	}
	return lines
}

func TestDiffAndWrite(t *testing.T) {
	root := project(t, map[string]string{
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
	changes := changesOf(t, tr, root)
	require.Equal(t, []string{"create gen/new/deep/new.go", "delete gen/old/left.go", "update gen/stale.go"}, describe(changes))
	require.NoError(t, Write(root, changes))
	assert.Empty(t, changesOf(t, tr, root))
	after, err := os.Stat(filepath.Join(root, "gen/equal.go"))
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after), "an equal file was touched")
	assert.NoDirExists(t, filepath.Join(root, "gen/old"))
	noStages(t, root)
}

func TestDiffRefusesToOverwriteByHand(t *testing.T) {
	root := project(t, map[string]string{"gen/a.go": "// by hand"})
	_, err := newTree(t, map[string]string{"gen/a.go": "// generated"}).Diff(root)
	want := "gen/a.go was not written by test-gen and would be overwritten; move it away, or delete it if it is not needed"
	assert.EqualError(t, err, want)
}

// A tool may have a directory with those of others below it, as client-gen has where the clientset has no directory of its own.
func TestDiffGoesByTheInnermostArea(t *testing.T) {
	root := project(t, map[string]string{"gen/lister/a.go": "// listed old"})
	tr := newTree(t, map[string]string{"gen/lister/a.go": "// listed new"})
	tr.Own(Area{
		Dir: "gen/lister", Tool: "lister-gen",
		Match: func(string) bool { return true },
		Owns:  func(_ string, b []byte) bool { return bytes.HasPrefix(b, []byte("// listed")) },
	})
	assert.Equal(t, []string{"update gen/lister/a.go"}, describe(changesOf(t, tr, root)))
}

// A clientset may be next to types, whose deep copies are another tool's.
func TestDiffGoesByTheAreaOfTheWriter(t *testing.T) {
	root := project(t, map[string]string{"gen/v1/copy.go": "// copied old", "gen/v1/hand.go": "// by hand"})
	tr := newTree(t, map[string]string{"gen/v1/copy.go": "// copied new"})
	tr.Own(Area{
		Dir: ".", Tool: "copy-gen",
		Match: func(p string) bool { return path.Base(p) == "copy.go" },
		Owns:  func(_ string, b []byte) bool { return bytes.HasPrefix(b, []byte("// copied")) },
	})
	assert.Equal(t, []string{"update gen/v1/copy.go"}, describe(changesOf(t, tr, root)))
	require.NoError(t, os.WriteFile(filepath.Join(root, "gen/v1/copy.go"), []byte("// by hand"), 0o600))
	_, err := tr.Diff(root)
	assert.ErrorContains(t, err, "gen/v1/copy.go was not written by test-gen and would be overwritten")
}

// Files that stay though nothing makes them any more are listed, and are not a change.
func TestKept(t *testing.T) {
	root := project(t, map[string]string{"kept/left.go": "// generated", "kept/hand.go": "// by hand", "gen/left.go": "// generated"})
	tr := newTree(t, nil)
	area := tr.areas[0]
	area.Dir, area.KeepsLeftOver = "kept", true
	tr.Own(area)
	assert.Equal(t, []string{"delete gen/left.go"}, describe(changesOf(t, tr, root)))
	kept, err := tr.Kept(root)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"test-gen": {"kept/left.go"}}, kept)
}

// What a power failure leaves of a file is not a user's work.
func TestDiffRepairsTornFiles(t *testing.T) {
	root := project(t, map[string]string{"gen/a.go": "", "gen/b.go": "\x00\x00\x00"})
	changes := changesOf(t, newTree(t, map[string]string{"gen/a.go": "// generated", "gen/b.go": "// generated"}), root)
	assert.Equal(t, []string{"update gen/a.go", "update gen/b.go"}, describe(changes))
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
	root := project(t, map[string]string{"a.txt": "old", "file": "not a directory"})
	changes := []Change{
		{Path: "a.txt", Op: Update, New: []byte("new")},
		{Path: "made/b.txt", Op: Create, New: []byte("b")},
		{Path: "file/c.txt", Op: Create, New: []byte("c")},
	}
	err := Write(root, changes)
	assert.ErrorContains(t, err, "file/c.txt")
	assert.ErrorContains(t, err, "nothing was changed")
	assert.Equal(t, map[string]string{"a.txt": "old", "file": "not a directory"}, contents(t, root))
}

func TestWriteKeepsModes(t *testing.T) {
	root := project(t, map[string]string{"private": "old"})
	require.NoError(t, os.Chmod(filepath.Join(root, "private"), 0o600))
	require.NoError(t, Write(root, changesOf(t, newTree(t, map[string]string{"private": "new", "public": "new", "script": "#!/bin/sh\n"}), root)))
	for name, want := range map[string]os.FileMode{"private": 0o600, "public": 0o644, "script": 0o755} {
		info, err := os.Stat(filepath.Join(root, name))
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode(), name)
	}
}

// A run that was killed leaves its staging directory; the next one takes it away, also if it has nothing to write.
func TestWriteSweeps(t *testing.T) {
	root := project(t, map[string]string{stagePrefix + "1/lock": "", stagePrefix + "1/journal.part": sealed(t, "[]"), stagePrefix + "1/0": "x"})
	require.NoError(t, Write(root, nil))
	noStages(t, root)
}

func TestPatchApplies(t *testing.T) {
	root := project(t, map[string]string{"gen/change.go": "// generated\na\nb\nc\n", "gen/left.go": "// generated\n", "gen/noeol.go": "// generated x"})
	tr := newTree(t, map[string]string{"gen/change.go": "// generated\na\nB\nc\n", "gen/new.go": "// generated\nnew\n", "gen/noeol.go": "// generated y"})
	var patch strings.Builder
	for _, c := range changesOf(t, tr, root) {
		patch.WriteString(c.Patch())
	}
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir = root
	cmd.Stdin = strings.NewReader(patch.String())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git apply: %s\n%s", out, patch.String())
	assert.Empty(t, changesOf(t, tr, root), patch.String())
}

// A file above the project, go.work, is named as it is from there: no program applies such a patch.
func TestPatchAbove(t *testing.T) {
	patch := Change{Path: "../go.work", Op: Update, Old: []byte("a\n"), New: []byte("b\n")}.Patch()
	assert.Equal(t, "--- ../go.work\n+++ ../go.work\n@@ -1 +1 @@\n-a\n+b\n", patch)
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
