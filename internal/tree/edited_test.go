// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

const mark = "// precious"

// edit is what a user does to a file during a command. It reports false where that was no edit of the tree any more.
type edit struct {
	name  string
	paths []string
	// prepare is what was done before the command began: a file that was opened.
	prepare func(t *testing.T, path string) (do func() bool)
}

func editing(do func(path string) error) func(*testing.T, string) func() bool {
	return func(t *testing.T, path string) func() bool {
		t.Helper()
		return func() bool {
			assert.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			assert.NoError(t, do(path), "edit")
			return true
		}
	}
}

// replace writes as most editors do: another file takes the place of the old one.
func replace(path string) error {
	old, _ := os.ReadFile(path)
	if err := os.WriteFile(path+"~", append(old, mark...), 0o644); err != nil {
		return err
	}
	return os.Rename(path+"~", path)
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(mark)
	return errors.Join(err, f.Close())
}

// throughOpen writes to a file that was opened before. One that has no name any more is in no tree.
func throughOpen(t *testing.T, path string) func() bool {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return func() bool {
		if !named(t, f) {
			return false
		}
		_, err := f.WriteString(mark)
		assert.NoError(t, err)
		return true
	}
}

var edits = []edit{
	{"replace", []string{"gen/a.go", "gen/left.go", "gen/new/c.go"}, editing(replace)},
	{"append", []string{"gen/a.go", "gen/left.go", "gen/new/c.go"}, editing(appendTo)},
	{"open", []string{"gen/a.go", "gen/left.go"}, throughOpen},
	{"instead of a directory", []string{"gen/old/deep"}, editing(func(path string) error {
		err := os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil // it is not empty
		}
		return os.WriteFile(path, []byte(mark), 0o644)
	})},
	{"a directory", []string{"gen/a.go", "gen/new/c.go"}, editing(func(path string) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Mkdir(path, 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(path, "file"), []byte(mark), 0o644)
	})},
	{"a link", []string{"gen/a.go", "gen/new/c.go"}, editing(func(path string) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Symlink("precious", path)
	})},
}

// A user edits a file at any operation of a write, in any way: the edit is in the tree afterwards, in its place or in a
// file next to it that the error names. Where there is an error, all else is as it was; where there is none, complete.
func TestEditedAtEveryOperation(t *testing.T) {
	complete := files(completed(t))
	onDisks(t, func(t *testing.T, plain bool) {
		for i, e := range edits {
			if plain && i > 2 {
				break // what differs there does not depend on what is in the way
			}
			for _, path := range e.paths {
				t.Run(e.name+" "+strings.ReplaceAll(path, "/", "."), func(t *testing.T) {
					refused := 0
					for n := 1; ; n++ {
						happened, err := editedAt(t, e, path, plain, n, complete)
						if !happened {
							break
						}
						if err != nil {
							refused++
						}
					}
					assert.True(t, refused > 0 || strings.Contains(e.name, "instead"), "no edit was noticed")
				})
			}
		}
	})
}

func editedAt(t *testing.T, e edit, path string, plain bool, n int, complete map[string]string) (happened bool, err error) {
	t.Helper()
	root := project(t, before)
	old := files(contents(t, root))
	edited := true
	do := e.prepare(t, filepath.Join(root, path))
	happened, err = writeOn(t, root, plain, n, func() error { edited = do(); return nil })
	if !happened {
		return false, err
	}
	got := files(contents(t, root))
	found := saves(t, root)
	assert.True(t, !edited || len(found) > 0 || strings.Contains(e.name, "instead"), "operation %d: the edit is lost (%v)\n%v", n, err, got)
	if err != nil {
		assert.Regexp(t, "run it again|everything was written|run the command again", err.Error(), "operation %d", n)
	}
	want := old
	if err == nil || strings.Contains(err.Error(), "everything was written") {
		want = complete
	}
	for p, content := range got {
		if !strings.HasPrefix(p, path) && !strings.Contains(p, "crdctl-saved") && want[p] != content {
			t.Errorf("operation %d: %v: %s is %q, want %q", n, err, p, content, want[p])
		}
	}
	for p := range want {
		if _, ok := got[p]; !ok && p != path && !strings.HasPrefix(p, path+"/") {
			t.Errorf("operation %d: %v: %s is gone", n, err, p)
		}
	}
	for _, p := range found {
		if err != nil && strings.Contains(p, "crdctl-saved") && !strings.Contains(err.Error(), p) {
			t.Errorf("operation %d: %s is not named in: %v", n, p, err)
		}
	}
	noStages(t, root)
	return true, err
}

// saves are the files and links that have the mark.
func saves(t *testing.T, root string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		target, _ := os.Readlink(p)
		data, _ := os.ReadFile(p)
		if strings.Contains(target, "precious") || strings.Contains(string(data), mark) {
			found = append(found, filepath.ToSlash(rel))
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

// What the changes were made of counts, not what was there when writing began.
func TestWriteHoldsFilesToWhatWasRead(t *testing.T) {
	for name, do := range map[string]func(path string) error{"update": appendTo, "delete": appendTo, "create": appendTo, "remove": os.Remove} {
		t.Run(name, func(t *testing.T) {
			root := project(t, before)
			changes := changesOf(t, wanted(t), root)
			path := map[string]string{"update": "gen/a.go", "delete": "gen/left.go", "create": "gen/mine.go", "remove": "gen/a.go"}[name]
			if name == "create" {
				changes = append(changes, Change{Path: path, Op: Create, New: []byte("// generated")})
			}
			require.NoError(t, do(filepath.Join(root, path)))
			old := contents(t, root)
			var changed *changedError
			require.ErrorAs(t, Write(root, changes), &changed)
			assert.Equal(t, path, changed.path)
			assert.Equal(t, old, contents(t, root))
		})
	}
}

// journalOf is the entry of a file that is to change from "old" to "new".
func journalOf(path string) string {
	return fmt.Sprintf(`{"path":%q,"old":%q,"new":%q}`, path, hash([]byte("old")), hash([]byte("new")))
}

// A run that is killed with an edit of the user's in its stage: the next one puts it back, and is refused, since it was
// planned without.
func TestRecover(t *testing.T) {
	for name, c := range map[string]struct {
		have map[string]string // next to the stage
		old  string            // in the stage
		want map[string]string
	}{
		"replaced":            {map[string]string{"a": "new"}, "old", map[string]string{"a": "new"}},
		"replaced and edited": {map[string]string{"a": "new"}, mark, map[string]string{"a": mark}},
		"edited twice":        {map[string]string{"a": "mine"}, mark, map[string]string{"a": "mine", "a.crdctl-saved": mark}},
		"taken away":          {map[string]string{}, "old", map[string]string{"a": "old"}},
		"taken away, edited":  {map[string]string{}, mark, map[string]string{"a": mark}},
		"not needed":          {map[string]string{"a": "old"}, "new", map[string]string{"a": "old"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, c.have)
			journal := "[" + journalOf("a") + "]"
			safefstest.WriteFiles(t, root, map[string]string{stagePrefix + "1/lock": "", stagePrefix + "1/journal": sealed(t, journal), stagePrefix + "1/0.1": c.old})
			restored, err := Recover(root)
			assert.NoError(t, err)
			assert.Equal(t, c.want, contents(t, root))
			assert.Equal(t, len(restored) > 0, !maps.Equal(c.have, c.want), "restored %q", restored)
			noStages(t, root)
		})
	}
}

func TestWriteAfterRecoverIsRefused(t *testing.T) {
	root := t.TempDir()
	journal := "[" + journalOf("a") + "]"
	safefstest.WriteFiles(t, root, map[string]string{stagePrefix + "1/lock": "", stagePrefix + "1/journal": sealed(t, journal), stagePrefix + "1/0.1": mark})
	assert.ErrorContains(t, Write(root, []Change{{Path: "b", Op: Create, New: []byte("b")}}), "a: restored")
	assert.Equal(t, map[string]string{"a": mark}, contents(t, root))
}

// Recover itself may be killed: the next one goes on.
func TestRecoverInterrupted(t *testing.T) {
	for n := 1; ; n++ {
		root := project(t, map[string]string{"a": "new", "c": "mine"})
		stage := stagePrefix + "1/"
		safefstest.WriteFiles(t, root, map[string]string{
			stage + "lock": "", stage + "journal": sealed(t, "["+journalOf("a")+","+journalOf("b")+","+journalOf("c")+"]"),
			stage + "0.1": mark + "a", stage + "1.1": mark + "b", stage + "2.1": mark + "c",
		})
		dir, err := os.OpenRoot(root)
		require.NoError(t, err)
		d := &faulty{disk: rootDisk{dir}, left: n}
		d.happen = func() error { d.left = 1; return errors.New("no more") }
		_, _ = recoverOn(root, d)
		if d.left > 1 {
			return
		}
		_, err = Recover(root)
		assert.NoError(t, err)
		// Of two versions, either may have the name.
		want := []string{mark + "a", mark + "b", mark + "c", "mine"}
		assert.Equal(t, want, slices.Sorted(maps.Values(contents(t, root))), "operation %d", n)
		assert.NoError(t, dir.Close())
	}
}
