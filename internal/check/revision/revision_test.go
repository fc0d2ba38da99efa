// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/revision"
)

// clone is a repository with a project in a subdirectory, on the branch main.
type clone struct {
	*testing.T
	dir, project string
}

func newClone(t *testing.T) *clone {
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "none"))
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	c := &clone{T: t, dir: t.TempDir()}
	c.project = filepath.Join(c.dir, "sub", "operator")
	c.git("init", "-q", "-b", "main")
	c.write("crd.yaml", "one\n")
	c.commit("one")
	return c
}

func (c *clone) git(args ...string) {
	c.Helper()
	cmd := exec.CommandContext(c.Context(), "git", append([]string{"-C", c.dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(c, err, "%s", out)
}

func (c *clone) write(name, text string) {
	c.Helper()
	file := filepath.Join(c.project, filepath.FromSlash(name))
	require.NoError(c, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(c, os.WriteFile(file, []byte(text), 0o644))
}

func (c *clone) commit(message string) {
	c.git("add", "-A")
	c.git("commit", "-q", "--allow-empty", "-m", message)
}

func (c *clone) open(name string) *revision.Base {
	c.Helper()
	b, err := revision.Open(c.Context(), c.project, c.project, name)
	require.NoError(c, err)
	c.Cleanup(func() { assert.NoError(c, b.Close()) })
	return b
}

func (c *clone) reads(b *revision.Base, name, want string) {
	c.Helper()
	data, err := b.ReadFile(name)
	require.NoError(c, err)
	assert.Equal(c, want, string(data))
}

// A revision is read as it was, whatever the working tree, the index, and the environment of a hook have.
func TestGit(t *testing.T) {
	c := newClone(t)
	c.git("branch", "release/1.2")
	c.git("tag", "-a", "-m", "v1", "v1.0.0")
	c.write("crd.yaml", "two\n")
	c.write("config/ü b.yaml", "new\n")
	require.NoError(t, os.Symlink("crd.yaml", filepath.Join(c.project, "link.yaml")))
	c.commit("two")
	c.write("crd.yaml", "three\n")
	c.git("add", "-A")
	require.NoError(t, os.Remove(filepath.Join(c.project, "crd.yaml")))
	index, err := os.ReadFile(filepath.Join(c.dir, ".git", "index"))
	require.NoError(t, err)
	t.Setenv("GIT_DIR", t.TempDir())
	t.Setenv("GIT_INDEX_FILE", "nothing")
	for _, name := range []string{"release/1.2", "v1.0.0", "HEAD~1", "main^"} {
		b := c.open(name)
		assert.Equal(t, []string{"crd.yaml"}, b.Files("."))
		assert.True(t, b.Given && b.Whole)
		assert.Equal(t, name, b.Name)
		c.reads(b, "crd.yaml", "one\n")
		c.reads(b, "crd.yaml", "one\n")
		_, err := b.ReadFile("config/ü b.yaml")
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	head := c.open("HEAD")
	assert.Equal(t, []string{"config/ü b.yaml", "crd.yaml"}, head.Files("."), "links are not followed")
	assert.Equal(t, []string{"config/ü b.yaml"}, head.Files("config"))
	c.reads(head, "crd.yaml", "two\n")
	after, err := os.ReadFile(filepath.Join(c.dir, ".git", "index"))
	require.NoError(t, err)
	assert.Equal(t, index, after, "the index was written")
}

// What replaces an object for other commands of git does not replace it here.
func TestReplacedObject(t *testing.T) {
	c := newClone(t)
	c.write("crd.yaml", "two\n")
	c.commit("two")
	c.git("replace", "HEAD", "HEAD~1")
	c.reads(c.open("main"), "crd.yaml", "two\n")
}

func TestDirAndFile(t *testing.T) {
	c := newClone(t)
	c.write("main", "not the branch\n")
	c.write("old/v1/crd.yaml", "old\n")
	c.write("old/go.mod", "module old\n")
	b := c.open("old")
	assert.Equal(t, []string{"v1/crd.yaml"}, b.Files("v1"))
	assert.True(t, b.Whole, "it has a go.mod")
	c.reads(b, "v1/crd.yaml", "old\n")
	b = c.open("./old/v1/crd.yaml")
	assert.Equal(t, []string{"crd.yaml"}, b.Files("."))
	assert.False(t, b.Whole)
	c.reads(b, "crd.yaml", "old\n")
	assert.Equal(t, []string{"crd.yaml"}, c.open("main").Files("."))
	c.reads(c.open("./main"), "main", "not the branch\n")
}

func TestOpenRefuses(t *testing.T) {
	c := newClone(t)
	c.git("update-ref", "refs/remotes/origin/release-1", "HEAD")
	for name, want := range map[string]string{
		"nothing":       `--against nothing: no such revision; name a branch`,
		"release-1":     `did you mean "origin/release-1"?`,
		"--all":         "--against --all: no such revision",
		"HEAD:sub":      "no such revision",
		"./nothing":     "--against ./nothing: no such file or directory; name a git revision",
		"main\x00other": "no such revision",
	} {
		_, err := revision.Open(t.Context(), c.project, c.project, name)
		assert.ErrorContains(t, err, want, name)
	}
	// An object that is gone, as in a partial clone, is an error.
	b := c.open("main")
	require.NoError(t, os.RemoveAll(filepath.Join(c.dir, ".git", "objects")))
	require.NoError(t, os.MkdirAll(filepath.Join(c.dir, ".git", "objects"), 0o755))
	_, err := b.ReadFile("crd.yaml")
	require.ErrorContains(t, err, "crd.yaml of main: git")
	_, err = revision.Open(t.Context(), c.project, c.project, "main")
	require.Error(t, err)

	outside := t.TempDir()
	_, err = revision.Open(t.Context(), outside, outside, "main")
	require.ErrorIs(t, err, revision.ErrNoRepository)
	t.Setenv("PATH", outside)
	_, err = revision.Open(t.Context(), c.project, c.project, "main")
	require.ErrorContains(t, err, "git is not in PATH")
}

func TestDefault(t *testing.T) {
	c := newClone(t)
	base := func() *revision.Base {
		b, err := revision.Default(t.Context(), c.project)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, b.Close()) })
		assert.False(t, b.Given)
		return b
	}
	_, err := revision.Default(t.Context(), c.project)
	require.ErrorContains(t, err, "HEAD is the first commit of main, and nothing changed since")
	c.write("crd.yaml", "changed\n")
	assert.Regexp(t, `^HEAD \([0-9a-f]{12}\)$`, base().Name, "the default branch itself")
	c.reads(base(), "crd.yaml", "one\n")
	c.commit("changed")
	c.write("report.sarif", "not compared\n")
	assert.Regexp(t, `^HEAD~1 \([0-9a-f]{12}; HEAD is on main, and nothing changed since\)$`, base().Name, "nothing is compared with itself")
	c.reads(base(), "crd.yaml", "one\n")
	c.write("new.yaml", "untracked\n")
	assert.Regexp(t, `^HEAD \(`, base().Name, "a new file is a change")
	c.git("clean", "-q", "-f", "-d")
	c.git("reset", "-q", "--hard", "HEAD~1")
	c.git("checkout", "-q", "-b", "topic")
	c.write("crd.yaml", "two\n")
	c.commit("two")
	assert.Regexp(t, `^main \(merge base [0-9a-f]{12}\)$`, base().Name)
	c.reads(base(), "crd.yaml", "one\n")
	c.git("update-ref", "refs/remotes/origin/trunk", "topic")
	c.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	c.write("crd.yaml", "three\n")
	c.commit("three")
	assert.Contains(t, base().Name, "origin/trunk (merge base ")
	c.reads(base(), "crd.yaml", "two\n")

	shallow := &clone{T: t, dir: t.TempDir()}
	shallow.project = filepath.Join(shallow.dir, "sub", "operator")
	c.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+c.dir, shallow.dir)
	shallow.commit("four")
	shallow.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	_, err = revision.Default(t.Context(), shallow.project)
	require.ErrorContains(t, err, "no merge base; the clone is shallow: run")
	_, err = revision.Open(t.Context(), shallow.project, shallow.project, "v9")
	require.ErrorContains(t, err, `the clone is shallow: run "git fetch --depth=1 origin v9:refs/remotes/origin/v9", or "git fetch --unshallow"`)
	_, err = revision.Open(t.Context(), shallow.project, shallow.project, "HEAD~3")
	require.ErrorContains(t, err, `the clone is shallow: run "git fetch --unshallow"`)
	// What the hint says makes the revision known.
	shallow.git("update-ref", "-d", "refs/remotes/origin/topic")
	_, err = revision.Open(t.Context(), shallow.project, shallow.project, "origin/topic")
	require.ErrorContains(t, err, `run "git fetch --depth=1 origin topic:refs/remotes/origin/topic", or`)
	shallow.git("fetch", "-q", "--depth=1", "origin", "topic:refs/remotes/origin/topic")
	shallow.reads(shallow.open("origin/topic"), "crd.yaml", "three\n")
	shallow.git("checkout", "-q", "-B", "alone", "origin/topic")
	shallow.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/topic")
	_, err = revision.Default(t.Context(), shallow.project)
	require.ErrorContains(t, err, "the commit before it is unknown; the clone is shallow: run")

	c.git("symbolic-ref", "-d", "refs/remotes/origin/HEAD")
	c.git("branch", "-D", "main")
	_, err = revision.Default(t.Context(), c.project)
	require.ErrorContains(t, err, "the default branch is not known")
	empty := &clone{T: t, dir: t.TempDir()}
	empty.git("init", "-q")
	_, err = revision.Default(t.Context(), empty.dir)
	require.ErrorContains(t, err, "no commit yet")
	_, err = revision.Default(t.Context(), t.TempDir())
	require.ErrorIs(t, err, revision.ErrNoRepository)
}
