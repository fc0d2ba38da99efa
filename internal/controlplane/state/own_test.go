// SPDX-License-Identifier: Apache-2.0

package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// mark has crdctl mark a directory as its own.
func mark(t *testing.T, path string) {
	t.Helper()
	d, err := safefs.Anchor(path, safefs.Self())
	require.NoError(t, err)
	defer func() { _ = d.Close() }()
	require.NoError(t, sign(d))
}

// markOfAnother marks a directory with another user's key.
func markOfAnother(t *testing.T, path string) {
	t.Helper()
	t.Run("another user", func(t *testing.T) {
		home := t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", home)
		mark(t, path)
	})
}

// markOfElsewhere gives a directory this user's mark of another one.
func markOfElsewhere(t *testing.T, path string) {
	t.Helper()
	elsewhere := t.TempDir()
	mark(t, elsewhere)
	content, err := os.ReadFile(filepath.Join(elsewhere, markName))
	require.NoError(t, err)
	safefstest.WriteFiles(t, path, map[string]string{markName: string(content)})
}

// marked returns a function that marks a directory with a text.
func marked(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		safefstest.WriteFiles(t, path, map[string]string{markName: content})
	}
}

// lockFile locks a file as a process of any user can who can read it.
func lockFile(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	require.NoError(t, safefs.TryLock(f, false))
}

// clusterFiles are what a repository can have as the directory of a control plane in the background.
var clusterFiles = []string{".gitignore", "lock", "kubeconfig", "process", "log", "etcd/member/wal", "secrets/tokens.csv", "secrets/tls.key"}

// A directory that came with a repository is not a control plane, whatever its mark and its mode. Reset removes it.
func TestClusterOfARepository(t *testing.T) {
	for what, mark := range map[string]func(*testing.T, string){
		"another user's mark": markOfAnother, "another directory's mark": markOfElsewhere, "a text": marked("The data of a control plane of crdctl."), "no mark": nil,
	} {
		for _, mode := range []os.FileMode{0o700, 0o755} {
			root := t.TempDir()
			dir := Cluster(root)
			safefstest.WriteAll(t, dir, "theirs", clusterFiles...)
			if mark != nil {
				mark(t, dir)
			}
			require.NoError(t, os.Chmod(dir, mode))
			before := snapshot(t, root)
			for who, err := range map[string]error{"open": second(OpenCluster(root)), "make": second(CreateCluster(root)), "data": second(OpenData(dir))} {
				require.Error(t, err, "%s, mode %o: %s", what, mode, who)
				assert.NotErrorIs(t, err, fs.ErrNotExist, "%s, mode %o: %s", what, mode, who)
			}
			assert.Equal(t, before, snapshot(t, root), "%s: changed", what)
			assert.NoError(t, RemoveCluster(root), "%s: remove", what)
			assert.NoDirExists(t, filepath.Join(root, Name), what)
		}
	}
}

// A directory that is just being made does not exist yet. The keys and tokens of one are not those that a link leads to, and the
// lock of one that others can enter may be theirs.
func TestOpenCluster(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(Cluster(root), 0o700))
	_, err := OpenCluster(root)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	d, err := CreateCluster(root)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	secrets := filepath.Join(Cluster(root), secretsName)
	safefstest.WriteAll(t, secrets, "", "tls.key")
	d, err = OpenCluster(root)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.NoError(t, os.Chmod(Cluster(root), 0o750))
	_, err = OpenCluster(root)
	assert.ErrorContains(t, err, "is accessible to other users")
	require.NoError(t, os.Chmod(Cluster(root), 0o700))
	require.NoError(t, os.Symlink("tls.key", filepath.Join(secrets, "tokens.csv")))
	safefstest.Each(t, safefs.ErrLink, "", map[string]error{"open": second(OpenCluster(root)), "make": second(CreateCluster(root)), "data": second(OpenData(Cluster(root)))})
}

// What is in use is not removed, even if crdctl made it.
func TestRemoveOfALockedCluster(t *testing.T) {
	for _, name := range []string{HolderName, lockName} {
		root := t.TempDir()
		path := filepath.Join(Cluster(root), name)
		safefstest.WriteFiles(t, Cluster(root), map[string]string{name: ""})
		lockFile(t, path)
		assert.Error(t, RemoveCluster(root), "with a lock on %s it is removed", name)
		assert.FileExists(t, path)
	}
}

// Without a place for the key nothing is made.
func TestWithoutAKey(t *testing.T) {
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	root := t.TempDir()
	_, err := CreateCluster(root)
	assert.Error(t, err, "a directory without a seal is made")
	d, err := Open(root)
	require.NoError(t, err)
	assert.Error(t, d.WriteRecord(nil), "a record without a seal is written")
	require.NoError(t, d.Release())
}

// A repository's own run, whose lock another user holds: it does not run. In a directory that is closed to others the record
// still must be this user's.
func TestRunOfARepository(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, Name)
	safefstest.WriteAll(t, dir, "{}", lockName, RecordName, KubeconfigName)
	lockFile(t, filepath.Join(dir, lockName))
	isRunning(t, root, false)
	_, err := Open(root)
	require.Error(t, err)
	assert.NotErrorIs(t, err, ErrRunning)
	require.NoError(t, os.Chmod(dir, 0o700))
	isRunning(t, root, true)
	_, err = Record(root)
	assert.Error(t, err)
}

// Who could open the lock before a run closed the directory has no hold on that of the run; and nothing that was there is the
// run's.
func TestAcquireInADirectoryOfARepository(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, Name)
	safefstest.WriteAll(t, dir, "theirs", lockName, RecordName, KubeconfigName)
	theirs, err := os.Open(filepath.Join(dir, lockName))
	require.NoError(t, err)
	defer func() { _ = theirs.Close() }()
	d, err := Open(root)
	require.NoError(t, err)
	defer func() { _ = d.Release() }()
	assert.NoError(t, safefs.TryLock(theirs, false), "the lock is one that others have open")
	assert.NoFileExists(t, filepath.Join(dir, RecordName))
	assert.NoFileExists(t, filepath.Join(dir, KubeconfigName))
}
