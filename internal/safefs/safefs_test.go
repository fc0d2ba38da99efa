package safefs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		if content, err := os.ReadFile(outside); err != nil || string(content) != "precious" {
			t.Errorf("the file outside is now %q, %v", content, err)
		}
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
			assert.ErrorIs(t, err, ErrLink, "open %s with %#x: %v, want ErrLink", name, flag, err)
		}
		for what, err := range map[string]error{"write": d.Write(name, nil), "lock": second(d.Lock(name)), "sub": second(d.Sub(name)), "make": second(d.Make(name))} {
			assert.ErrorIs(t, err, ErrLink, "%s %s: %v, want ErrLink", what, name, err)
		}
	}
	assert.NoError(t, d.RemoveAll("up"))
	_, err := os.Stat(dir)
	assert.NoError(t, err)
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
		owner, ok := errors.AsType[*OwnerError](err)
		if !ok || owner.UID != os.Geteuid() || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v, want the error of an owner", what, err)
		}
	}
	if content, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(content) != "x" {
		t.Errorf("the file of another user is now %q, %v", content, err)
	}
}

func TestTrusted(t *testing.T) {
	for _, c := range []struct {
		uid  int
		sudo string
		want []int // accepted of 0, 1000, 1001
	}{
		{1000, "", []int{0, 1000}},
		{1000, "1001", []int{0, 1000}}, // anyone can set it
		{0, "", []int{0}},
		{0, "1000", []int{0, 1000}},
		{0, "x", []int{0}},
		{0, "-1", []int{0}},
	} {
		owners := TrustedFor(c.uid, c.sudo)
		var got []int
		for _, uid := range []int{0, 1000, 1001} {
			for _, o := range owners {
				if o == uid {
					got = append(got, uid)
				}
			}
		}
		require.Len(t, got, len(c.want), "uid %d, SUDO_UID %q: %v, want %v", c.uid, c.sudo, owners, c.want)
		assert.Len(t, owners, len(c.want), "uid %d, SUDO_UID %q: %v, want %v", c.uid, c.sudo, owners, c.want)
	}
}

func TestReadIsBounded(t *testing.T) {
	d, _, _ := place(t, Self())
	require.NoError(t, d.Write("file", []byte("12345")))
	if content, err := d.Read("file", 5); err != nil || string(content) != "12345" {
		t.Errorf("%q, %v", content, err)
	}
	_, err := d.Read("file", 4)
	assert.ErrorIs(t, err, ErrTooBig)
	_, err = d.Read("none", 4)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// Write leaves nothing but the file, for this user alone, and replaces it.
func TestWrite(t *testing.T) {
	d, dir, _ := place(t, Self())
	for _, text := range []string{"first", "second"} {
		require.NoError(t, d.Write("file", []byte(text)))
		if content, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(content) != text {
			t.Errorf("%q, %v", content, err)
		}
	}
	if info, err := d.Lstat("file"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if entries, err := d.Entries(); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// An anchor may be a link; what is below it may not.
func TestAnchorMayBeALink(t *testing.T) {
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.Symlink(real, link))
	d, err := Below(link, true, "crdctl", "x")
	require.NoError(t, err)
	require.NoError(t, d.Close())
	_, err = os.Stat(filepath.Join(real, "crdctl", "x"))
	assert.NoError(t, err)
	require.NoError(t, os.Symlink("crdctl", filepath.Join(real, "other")))
	_, err = Below(link, true, "other", "x")
	assert.ErrorIs(t, err, ErrLink)
}

func TestLocks(t *testing.T) {
	d, dir, _ := place(t, Self())
	if locked, err := d.Locked("lock"); locked || err != nil {
		t.Errorf("without a file: %v, %v", locked, err)
	}
	f, err := d.Lock("lock")
	require.NoError(t, err)
	_, err = d.LockExisting("lock")
	assert.ErrorIs(t, err, ErrLocked)
	if locked, err := d.Locked("lock"); !locked || err != nil {
		t.Errorf("while it is held: %v, %v", locked, err)
	}
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
