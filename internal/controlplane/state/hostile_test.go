// SPDX-License-Identifier: Apache-2.0

package state

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// victim is a directory with files that must not be touched, checked at the end of the test.
func victim(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "victim")
	safefstest.WriteFiles(t, dir, map[string]string{"docs/thesis.txt": "years", ".gitignore": "mine"})
	require.NoError(t, os.Chmod(dir, 0o755))
	before := snapshot(t, dir)
	t.Cleanup(func() { assert.Equal(t, before, snapshot(t, dir)) })
	return dir
}

// snapshot is a line with all there is about each file.
func snapshot(t *testing.T, dir string) (lines []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		content, _ := os.ReadFile(path) // directories have none
		lines = append(lines, fmt.Sprintf("%s %s %s %s", path, info.Mode(), info.ModTime(), content))
		return nil
	}))
	return lines
}

// A .crdctl that is a link, to another directory or to the project itself, is refused by everything, and nothing is changed.
func TestLinkInPlaceOfTheDirectory(t *testing.T) {
	elsewhere := victim(t)
	project := victim(t)
	for root, to := range map[string]string{filepath.Join(t.TempDir(), "p"): elsewhere, project: "."} {
		require.NoError(t, os.MkdirAll(root, 0o755))
		link := filepath.Join(root, Name)
		info, err := os.Stat(root)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(to, link))
		safefstest.Each(t, safefs.ErrLink, "with a link to "+to, map[string]error{
			"acquire": second(Open(root)), "make cluster": second(CreateCluster(root)), "open cluster": second(OpenCluster(root)),
			"remove cluster": RemoveCluster(root), "running": second(Running(root)), "read": second(ReadKubeconfig(root)), "record": second(Record(root)),
			"write": WriteKubeconfig(root, nil),
		})
		assert.NoError(t, os.Remove(link), "the link")
		require.NoError(t, os.Chtimes(root, info.ModTime(), info.ModTime()))
	}
}

func second[T any](_ T, err error) error { return err }

// Links where the files of crdctl would be are refused too, before anything is written.
func TestLinksInTheDirectory(t *testing.T) {
	file := filepath.Join(victim(t), ".gitignore")
	for _, name := range runNames {
		root := t.TempDir()
		safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{"x": ""})
		require.NoError(t, os.Symlink(file, filepath.Join(root, Name, name)))
		before := snapshot(t, root)
		_, err := Open(root)
		assert.ErrorIs(t, err, safefs.ErrLink, name)
		assert.Equal(t, before, snapshot(t, root), "%s: changed", name)
	}
	for _, name := range slices.Concat(dataFiles, dataDirs) {
		root := t.TempDir()
		safefstest.WriteFiles(t, Cluster(root), map[string]string{"x": ""})
		require.NoError(t, os.Symlink(file, filepath.Join(Cluster(root), name)))
		safefstest.Each(t, safefs.ErrLink, name, map[string]error{"make": second(CreateCluster(root)), "remove": RemoveCluster(root), "data": second(OpenData(Cluster(root)))})
	}
}

// What belongs to another user is refused. The test makes the user up.
func TestDirectoryOfAnotherUser(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{"kubeconfig": "x"})
	before := snapshot(t, root)
	others := safefs.Owners{os.Geteuid() + 1}
	for what, err := range map[string]error{"acquire": second(openIn(root, others)), "data": second(openData(filepath.Join(root, Name), others))} {
		assert.ErrorAs(t, err, new(*safefs.OwnerError), what)
	}
	assert.Equal(t, before, snapshot(t, root), "changed")
}

// Release and RemoveCluster remove what crdctl makes, and nothing else.
func TestOnlyOwnNamesAreRemoved(t *testing.T) {
	root := t.TempDir()
	d, err := Open(root)
	require.NoError(t, err)
	cluster, err := CreateCluster(root)
	require.NoError(t, err)
	defer func() { _ = cluster.Close() }()
	safefstest.WriteAll(t, filepath.Join(root, Name), "ours", "kubeconfig", ".kubeconfig-123", "run", "cluster/etcd/member/wal", "cluster/secrets/ca.crt", "cluster/log", "cluster/.kubeconfig-1")
	safefstest.WriteAll(t, filepath.Join(root, Name), "theirs", "notes", "dir/file", "cluster/mine")
	require.NoError(t, d.Release())
	require.NoError(t, RemoveCluster(root))
	var left []string
	for _, line := range snapshot(t, root) {
		path, _, _ := strings.Cut(line, " ")
		if rel, err := filepath.Rel(root, path); err == nil {
			left = append(left, filepath.ToSlash(rel))
		}
	}
	want := []string{".", ".crdctl", ".crdctl/.gitignore", ".crdctl/cluster", ".crdctl/cluster/mine", ".crdctl/dir", ".crdctl/dir/file", ".crdctl/notes"}
	assert.Equal(t, want, left, "left")
}

func TestDataDirectories(t *testing.T) {
	record, err := sealRecord(nil)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		files []string
		mark  func(*testing.T, string)
		taken bool
	}{
		"new":               {nil, nil, true},
		"own":               {[]string{"etcd/member/wal", "notes"}, mark, true},
		"begun":             {[]string{".crdctl-data-abc"}, nil, true},
		"another user's":    {[]string{".gitignore", "lock", "etcd/member/wal"}, markOfAnother, false},
		"another directory": {[]string{"etcd/member/wal"}, markOfElsewhere, false},
		"seal of a record":  {[]string{"lock"}, marked(string(record)), false},
		"fixed text":        {[]string{"lock"}, marked("The data of a control plane of crdctl.\n"), false},
		"no mark":           {[]string{".gitignore", "lock", "etcd/member/wal", "secrets/ca.crt", "kubeconfig"}, nil, false},
		"a log":             {[]string{"log"}, nil, false},
		"log, directory":    {[]string{"log/today"}, nil, false},
		"etcd":              {[]string{"etcd/mydata"}, nil, false},
		"lock":              {[]string{"lock"}, nil, false},
		"gitignore":         {[]string{".gitignore"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			safefstest.WriteAll(t, dir, "*\n", c.files...) // as a .gitignore of crdctl's has
			if c.mark != nil {
				c.mark(t, dir)
			}
			var before []string
			if c.files != nil {
				require.NoError(t, os.Chmod(dir, 0o755))
				before = snapshot(t, dir)
			}
			d, err := OpenData(dir)
			require.Equal(t, c.taken, err == nil, "taken: %v", err)
			if !c.taken {
				assert.Equal(t, before, snapshot(t, dir), "refused, but changed")
				return
			}
			defer func() { _ = d.Close() }()
			safefstest.IsPrivate(t, dir)
			assert.True(t, signed(d), "it is not marked")
			assert.Equal(t, "*\n", safefstest.Read(t, filepath.Join(dir, ".gitignore")))
		})
	}
}
