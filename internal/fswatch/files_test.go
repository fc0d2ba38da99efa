// SPDX-License-Identifier: Apache-2.0

package fswatch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func watched(t *testing.T, look func() State) *FileWatcher {
	t.Helper()
	before := runtime.NumGoroutine()
	w := NewFileWatcher(look)
	t.Cleanup(func() {
		w.Close()
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			require.False(t, time.Now().After(end), "%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	})
	return w
}

func changed(t *testing.T, w *FileWatcher) {
	t.Helper()
	select {
	case <-w.Changes:
	case <-time.After(patience):
		t.Fatal("no change")
	}
}

// unchanged has something happen that does not count as a change, and then something that is one: there must be one change, not two.
func unchanged(t *testing.T, w *FileWatcher, nothing, something func()) {
	t.Helper()
	nothing()
	something()
	changed(t, w)
	select {
	case <-w.Changes:
		t.Error("a second change")
	case <-time.After(3 * settle):
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sync.py")
	writeText(t, file, "1")
	w := watched(t, Files(file))
	writeText(t, file, "22") // in place
	changed(t, w)
	writeText(t, file+"~", "33") // by renaming, with the same size
	require.NoError(t, os.Rename(file+"~", file))
	changed(t, w)
	// A neighbour is nothing, nor is to be away for a moment.
	unchanged(t, w, func() {
		writeText(t, filepath.Join(dir, "other"), "x")
		require.NoError(t, os.Rename(file, file+"~"))
	}, func() { writeText(t, file, "4") })
}

// The kubelet puts a ConfigMap's files behind two links, and swaps the first.
func TestFilesOfAConfigMap(t *testing.T) {
	dir := t.TempDir()
	for version, text := range map[string]string{"..v1": "a", "..v2": "b"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o755))
		writeText(t, filepath.Join(dir, version, "sync.py"), text)
	}
	link := func(to, name string) {
		t.Helper()
		require.NoError(t, os.Symlink(to, name+".tmp"))
		require.NoError(t, os.Rename(name+".tmp", name))
	}
	data, file := filepath.Join(dir, "..data"), filepath.Join(dir, "sync.py")
	link("..v1", data)
	link("..data/sync.py", file)
	w := watched(t, Files(file))
	link("..v2", data)
	changed(t, w)
}

func TestDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "templates")
	require.NoError(t, os.Mkdir(dir, 0o755))
	var missing atomic.Int64
	look := Dir(dir, func(name string) bool { return strings.HasSuffix(name, ".yaml") })
	w := watched(t, func() State {
		s := look()
		if s.incomplete {
			missing.Add(1)
		}
		return s
	})
	unchanged(t, w, func() { writeText(t, filepath.Join(dir, "README.md"), "") }, func() { writeText(t, filepath.Join(dir, "a.yaml"), "a: 1") })
	require.NoError(t, os.Remove(filepath.Join(dir, "a.yaml")))
	changed(t, w)
	// The directory itself is replaced, and is seen to be away: no event tells that it is back.
	require.NoError(t, os.Rename(dir, dir+".old"))
	await(t, func() bool { return missing.Load() > 0 })
	require.NoError(t, os.Mkdir(dir, 0o755))
	writeText(t, filepath.Join(dir, "b.yaml"), "b: 1")
	changed(t, w)
	writeText(t, filepath.Join(dir, "b.yaml"), "b: 12")
	changed(t, w)
}

// Where the system has no watch to give, the files are looked at from time to time.
func TestWithoutEvents(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sync.py")
	writeText(t, file, "1")
	var looked atomic.Int64
	files := Files(file)
	w := watched(t, func() State {
		s := files()
		if looked.Add(1) == 1 {
			s.dirs = []string{filepath.Join(filepath.Dir(file), "absent")} // cannot be watched
		} else {
			s.dirs = nil
		}
		return s
	})
	await(t, func() bool { return looked.Load() > 1 }) // the look at the start would find it too
	writeText(t, file, "22")
	changed(t, w)
}

func await(t *testing.T, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		require.False(t, time.Now().After(end), "it does not come")
	}
}

// A file that comes back as it was is a change, if it was reported as deleted.
func TestReturnIsAChange(t *testing.T) {
	dir := t.TempDir()
	file, aside := filepath.Join(dir, "hook"), filepath.Join(dir, "aside")
	writeText(t, file, "a")
	w := watched(t, Files(file))
	require.NoError(t, os.Rename(file, aside))
	select {
	case <-w.Missing:
	case <-time.After(patience):
		t.Fatal("not said to be gone")
	}
	require.NoError(t, os.Rename(aside, file))
	changed(t, w)
}
