package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// victim is a directory with files that must not be touched, checked at the end of the test.
func victim(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "victim")
	safefstest.WriteFiles(t, dir, map[string]string{"docs/thesis.txt": "years", ".gitignore": "mine"})
	require.NoError(t, os.Chmod(dir, 0o755))
	before := snapshot(t, dir)
	t.Cleanup(func() {
		assert.Equal(t, before, snapshot(t, dir), "the victim: %s")
	})
	return dir
}

// snapshot is a line with all there is about each file.
func snapshot(t *testing.T, dir string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := path + " " + info.Mode().String() + " " + info.ModTime().String()
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += " " + string(content)
		}
		lines = append(lines, line)
		return nil
	})
	require.NoError(t, err)
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
		for what, err := range map[string]error{
			"acquire": second(Open(root)), "make cluster": second(CreateCluster(root)), "open cluster": second(OpenCluster(root)),
			"remove cluster": RemoveCluster(root), "running": second(Running(root)), "read": second(ReadKubeconfig(root)), "record": second(Record(root)),
			"write": WriteKubeconfig(root, nil),
		} {
			assert.ErrorIs(t, err, safefs.ErrLink, "%s with a link to %s: %v, want ErrLink", what, to, err)
		}
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
		assert.ErrorIs(t, err, safefs.ErrLink, "%s: %v, want ErrLink", name, err)
		assert.Equal(t, before, snapshot(t, root), "%s: changed", name)
	}
	for _, name := range slices.Concat(dataFiles, dataDirs) {
		root := t.TempDir()
		safefstest.WriteFiles(t, Cluster(root), map[string]string{"x": ""})
		require.NoError(t, os.Symlink(file, filepath.Join(Cluster(root), name)))
		for what, err := range map[string]error{"make": second(CreateCluster(root)), "remove": RemoveCluster(root), "data": second(OpenData(Cluster(root)))} {
			assert.ErrorIs(t, err, safefs.ErrLink, "%s %s: %v, want ErrLink", what, name, err)
		}
	}
}

// What belongs to another user is refused. The test makes the user up.
func TestDirectoryOfAnotherUser(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{"kubeconfig": "x"})
	before := snapshot(t, root)
	others := safefs.Owners{os.Geteuid() + 1}
	for what, err := range map[string]error{"acquire": second(openIn(root, others)), "data": second(openData(filepath.Join(root, Name), others))} {
		_, ok := errors.AsType[*safefs.OwnerError](err)
		assert.True(t, ok, "%s: %v, want the error of an owner", what, err)
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
	for _, path := range []string{"kubeconfig", ".kubeconfig-123", "run", "cluster/etcd/member/wal", "cluster/secrets/ca.crt", "cluster/log", "cluster/.kubeconfig-1"} {
		safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{path: "ours"})
	}
	for _, path := range []string{"notes", "dir/file", "cluster/mine"} {
		safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{path: "theirs"})
	}
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
		files map[string]string
		mark  func(*testing.T, string)
		taken bool
	}{
		"new":               {nil, nil, true},
		"own":               {map[string]string{"etcd/member/wal": "", "notes": ""}, mark, true},
		"begun":             {map[string]string{".crdctl-data-abc": ""}, nil, true},
		"another user's":    {map[string]string{".gitignore": "*\n", "lock": "", "etcd/member/wal": ""}, markOfAnother, false},
		"another directory": {map[string]string{"etcd/member/wal": ""}, markOfElsewhere, false},
		"seal of a record":  {map[string]string{"lock": ""}, marked(string(record)), false},
		"fixed text":        {map[string]string{"lock": ""}, marked("The data of a control plane of crdctl.\n"), false},
		"no mark":           {map[string]string{".gitignore": "*\n", "lock": "", "etcd/member/wal": "x", "secrets/ca.crt": "x", "kubeconfig": "x"}, nil, false},
		"a log":             {map[string]string{"log": "mine"}, nil, false},
		"log, directory":    {map[string]string{"log/today": "mine"}, nil, false},
		"etcd":              {map[string]string{"etcd/mydata": "mine"}, nil, false},
		"lock":              {map[string]string{"lock": ""}, nil, false},
		"gitignore":         {map[string]string{".gitignore": "*\n"}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			safefstest.WriteFiles(t, dir, c.files)
			if c.mark != nil {
				c.mark(t, dir)
			}
			if c.files != nil {
				require.NoError(t, os.Chmod(dir, 0o755))
			}
			var before []string
			if !c.taken {
				before = snapshot(t, dir)
			}
			d, err := OpenData(dir)
			require.Equal(t, c.taken, err == nil, "taken: %v", err)
			if !c.taken {
				assert.Equal(t, before, snapshot(t, dir), "refused, but changed")
				return
			}
			defer func() { _ = d.Close() }()
			info, err := os.Stat(dir)
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			assert.True(t, signed(d), "it is not marked")
			if content, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(content) != "*\n" {
				t.Errorf(".gitignore %q, %v", content, err)
			}
		})
	}
}

// What a run says about itself is there while it runs.
func TestRecord(t *testing.T) {
	root := t.TempDir()
	if running, err := Running(root); running || err != nil {
		t.Errorf("before: %v, %v", running, err)
	}
	d, err := Open(root)
	require.NoError(t, err)
	require.NoError(t, d.WriteRecord([]byte("pid 1")))
	running, err1 := Running(root)
	content, err2 := Record(root)
	if !running || string(content) != "pid 1" || err1 != nil || err2 != nil {
		t.Errorf("%v, %q, %v, %v", running, content, err1, err2)
	}
	assert.ErrorIs(t, WriteKubeconfig(root, []byte("x")), fs.ErrNotExist, "a kubeconfig that is not there")
	require.NoError(t, d.Release())
	_, err = Record(root)
	assert.ErrorIs(t, err, fs.ErrNotExist, "after")
}
