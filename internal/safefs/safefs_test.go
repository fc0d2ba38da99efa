// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// place is an open directory, dir, with its path, and a file outside of it that must not be touched.
func place(t *testing.T, owners Owners) (d *Dir, dir, outside string) {
	t.Helper()
	dir = t.TempDir()
	outside = filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("precious"), 0o600))
	d, err := Anchor(dir, owners)
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = d.Close()
		assert.Equal(t, "precious", safefstest.Read(t, outside))
	})
	return d, dir, outside
}

func TestLinksAreRefused(t *testing.T) {
	d, dir, outside := place(t, Self())
	for name, to := range map[string]string{"out": outside, "in": "real", "dangling": "none", "up": ".."} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	require.NoError(t, d.Write("real", []byte("x")))
	for _, name := range []string{"out", "in", "dangling", "up"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY | os.O_CREATE | os.O_TRUNC, os.O_RDWR | os.O_APPEND} {
			_, err := d.OpenFile(name, flag, 0o600)
			assert.ErrorIs(t, err, ErrLink, "open %s with %#x", name, flag)
		}
		safefstest.Each(t, ErrLink, name, map[string]error{
			"write": d.Write(name, nil), "lock": second(d.Lock(name)), "sub": second(d.Sub(name)), "make": second(d.Make(name)),
		})
	}
	assert.NoError(t, d.RemoveAll("up"))
	assert.DirExists(t, dir)
}

func second[T any](_ T, err error) error { return err }

func TestNamesStayInTheDirectory(t *testing.T) {
	d, _, _ := place(t, Self())
	for _, name := range []string{"", ".", "..", "a/b", "../x", `a\b`} {
		for what, err := range map[string]error{
			"open": second(d.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)), "sub": second(d.Sub(name)), "make": second(d.Make(name)),
			"write": d.Write(name, nil), "remove": d.Remove(name), "remove all": d.RemoveAll(name), "rename": d.Rename(name, "x"),
		} {
			assert.Error(t, err, "%s %q: no error", what, name)
		}
	}
}

// Ownership is checked against user ids that the test makes up, so that any user can run it.
func TestOtherOwnersAreRefused(t *testing.T) {
	d, dir, _ := place(t, Owners{os.Geteuid() + 1})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	for what, err := range map[string]error{
		"read": second(d.Read("file", 10)), "write": d.Write("file", nil), "lock": second(d.Lock("file")), "sub": second(d.Sub("sub")), "make": second(d.Make("sub")),
	} {
		var owner *OwnerError
		require.ErrorAs(t, err, &owner, what)
		assert.Equal(t, os.Geteuid(), owner.UID, what)
		assert.ErrorIs(t, err, fs.ErrPermission, what)
	}
	assert.Equal(t, "x", safefstest.Read(t, filepath.Join(dir, "file")))
}

func TestTrusted(t *testing.T) {
	for _, c := range []struct {
		uid  int
		sudo string
		want Owners
	}{
		{1000, "", Owners{1000, 0}},
		{1000, "1001", Owners{1000, 0}}, // anyone can set it
		{0, "", Owners{0}},
		{0, "1000", Owners{0, 1000}},
		{0, "x", Owners{0}},
		{0, "-1", Owners{0}},
	} {
		assert.Equal(t, c.want, TrustedFor(c.uid, c.sudo), "uid %d, SUDO_UID %q", c.uid, c.sudo)
	}
}

func TestReadIsBounded(t *testing.T) {
	d, _, _ := place(t, Self())
	require.NoError(t, d.Write("file", []byte("12345")))
	content, err := d.Read("file", 5)
	require.NoError(t, err)
	assert.Equal(t, "12345", string(content))
	_, err = d.Read("file", 4)
	assert.ErrorIs(t, err, ErrTooBig)
	_, err = d.Read("none", 4)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// Write leaves nothing but the file, for this user alone, and replaces it.
func TestWrite(t *testing.T) {
	d, dir, _ := place(t, Self())
	for _, text := range []string{"first", "second"} {
		require.NoError(t, d.Write("file", []byte(text)))
		assert.Equal(t, text, safefstest.Read(t, filepath.Join(dir, "file")))
	}
	info, err := d.Lstat("file")
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())
	entries, err := d.Entries()
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

// An anchor may be a link; what is below it may not.
func TestAnchorMayBeALink(t *testing.T) {
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.Symlink(real, link))
	d, err := Below(link, true, "crdctl", "x")
	require.NoError(t, err)
	require.NoError(t, d.Close())
	assert.DirExists(t, filepath.Join(real, "crdctl", "x"))
	require.NoError(t, os.Symlink("crdctl", filepath.Join(real, "other")))
	_, err = Below(link, true, "other", "x")
	assert.ErrorIs(t, err, ErrLink)
}

func TestLocks(t *testing.T) {
	d, dir, _ := place(t, Self())
	locked, err := d.Locked("lock")
	require.NoError(t, err)
	assert.False(t, locked, "without a file")
	f, err := d.Lock("lock")
	require.NoError(t, err)
	_, err = d.LockExisting("lock")
	assert.ErrorIs(t, err, ErrLocked)
	locked, err = d.Locked("lock")
	require.NoError(t, err)
	assert.True(t, locked)
	assert.True(t, d.Holds("lock", f), "the file is not the one that was locked")
	require.NoError(t, os.Remove(filepath.Join(dir, "lock")))
	assert.False(t, d.Holds("lock", f), "a file that was removed is held")
	require.NoError(t, f.Close())
	_, err = d.LockExisting("lock")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// A directory is not a file, and the other way around.
func TestKindsAreToldApart(t *testing.T) {
	d, _, _ := place(t, Self())
	require.NoError(t, d.Write("file", nil))
	_, err := d.Sub("file")
	assert.ErrorIs(t, err, syscall.ENOTDIR)
	_, err = d.Sub("none")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	sub, err := d.Make("sub")
	require.NoError(t, err)
	defer func() { _ = sub.Close() }()
	_, err = d.Read("sub", 1)
	assert.ErrorIs(t, err, syscall.EISDIR)
}
