package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limit is more bytes than a journal has here, and less than a file.
const limit = 3000

// before is a tree with work to do of every kind, and after what it comes to.
var (
	before = map[string]string{
		"gen/equal.go": "// generated same", "gen/a.go": "// generated old a", "gen/z.go": "// generated old, and longer than what comes",
		"gen/old/deep/left.go": "// generated left over", "gen/left.go": "// generated left over, too", "gen/expansion.go": "// by hand", "main.go": "// by hand",
	}
	after = map[string]string{
		"gen/equal.go": "// generated same", "gen/a.go": "// generated new a" + strings.Repeat("\n", 2*limit), "gen/z.go": "// generated new",
		"gen/new/deep/b.go": "// generated b", "gen/new/c.go": "// generated c", "gen/expansion.go": "// by hand", "main.go": "// by hand",
	}
)

// onDisks runs a test on the disk that there is, and on one that cannot exchange files in one step.
func onDisks(t *testing.T, test func(t *testing.T, plain bool)) {
	t.Helper()
	for name, plain := range map[string]bool{"real": false, "plain": true} {
		t.Run(name, func(t *testing.T) { test(t, plain) })
	}
}

func wanted(t *testing.T) *Tree {
	t.Helper()
	files := map[string]string{}
	for p, content := range after {
		if strings.HasPrefix(content, "// generated") {
			files[p] = content
		}
	}
	return newTree(t, files)
}

// writeOn does to root all that there is to do, on a disk on which something happens. It tells whether it did happen.
func writeOn(t *testing.T, root string, plain bool, n int, happen func() error) (happened bool, err error) {
	t.Helper()
	changes, err := wanted(t).Diff(root)
	require.NoError(t, err)
	dir, err := os.OpenRoot(root)
	require.NoError(t, err)
	d := &faulty{disk: rootDisk{dir}, plain: plain, left: n, happen: happen}
	err = errors.Join(write(root, d, changes), dir.Close())
	return d.left <= 0, err
}

// contents are the files of a folder and its folders, less those in a stage that a killed run left.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		if strings.HasPrefix(d.Name(), stagePrefix) {
			return fs.SkipDir
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		if d.IsDir() {
			all[rel+"/"] = ""
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			all[rel], err = os.Readlink(p)
			return err
		}
		data, err := os.ReadFile(p)
		all[rel] = string(data)
		return err
	})
	require.NoError(t, err)
	return all
}

// files leaves out the folders: empty ones, which a killed run leaves, are nothing to git.
func files(contents map[string]string) map[string]string {
	maps.DeleteFunc(contents, func(p, _ string) bool { return strings.HasSuffix(p, "/") })
	return contents
}

func same(a, b map[string]string) bool { return fmt.Sprint(a) == fmt.Sprint(b) } // maps are printed sorted

// mends holds that the next run makes the tree complete and leaves nothing else in it.
func mends(t *testing.T, root string, complete map[string]string) {
	t.Helper()
	_, err := Recover(root)
	assert.NoError(t, err, "the next run")
	_, err = writeOn(t, root, false, 0, nil)
	assert.NoError(t, err, "the next run")
	if changes, err := wanted(t).Diff(root); err != nil || len(changes) > 0 {
		t.Errorf("after the next run: %s %v", describe(changes), err)
	}
	if got := files(contents(t, root)); !same(got, complete) {
		t.Errorf("after the next run:\n%v\nwant\n%v", got, complete)
	}
	left, _ := filepath.Glob(filepath.Join(root, ".*"))
	assert.Empty(t, left, "left behind")
}

func completed(t *testing.T) map[string]string {
	t.Helper()
	root := t.TempDir()
	safefstest.WriteFiles(t, root, before)
	_, err := writeOn(t, root, false, 0, nil)
	require.NoError(t, err)
	return contents(t, root)
}

// An error at any operation, such as that of a full disk, leaves the tree as it was, or it was of no account and the tree
// is complete.
func TestErrorAtEveryOperation(t *testing.T) { onDisks(t, errorAtEveryOperation) }

func errorAtEveryOperation(t *testing.T, plain bool) {
	complete := files(completed(t))
	for n := 1; ; n++ {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, before)
		old := contents(t, root)
		happened, err := writeOn(t, root, plain, n, func() error { return &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} })
		if !happened {
			assert.GreaterOrEqual(t, n, 20, "only: operations")
			t.Logf("%d operations", n-1)
			return
		}
		got := contents(t, root)
		if err != nil && !same(got, old) {
			t.Errorf("operation %d: %v, but the tree is\n%v\nwant\n%v", n, err, got, old)
		}
		if err == nil {
			for p, content := range complete {
				if have, ok := got[p]; !ok || have != content {
					t.Errorf("operation %d: no error, but %s is %q", n, p, have)
				}
			}
		}
		if err != nil && !strings.HasSuffix(err.Error(), "no space left on device; nothing was changed; make room on the disk, and run the command again") {
			t.Errorf("operation %d: error %v", n, err)
		}
		left, _ := filepath.Glob(filepath.Join(root, ".*"))
		assert.Empty(t, left, "operation %d: left behind", n)
		mends(t, root, complete)
	}
}

// A disk that fails from some operation on does not let what was done be taken back. Still each file is whole.
func TestErrorFromEveryOperationOn(t *testing.T) { onDisks(t, errorFromEveryOperationOn) }

func errorFromEveryOperationOn(t *testing.T, plain bool) {
	complete := files(completed(t))
	for n := 1; ; n++ {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, before)
		old := contents(t, root)
		changes, err := wanted(t).Diff(root)
		require.NoError(t, err)
		dir, err := os.OpenRoot(root)
		require.NoError(t, err)
		d := &faulty{disk: rootDisk{dir}, plain: plain, left: n}
		d.happen = func() error { d.left = 1; return syscall.EIO }
		err = errors.Join(write(root, d, changes), dir.Close())
		if d.left > 1 || err == nil {
			assert.GreaterOrEqual(t, n, 20, "only: operations")
			return
		}
		if plain { // a file may lie in the stage
			_, err = Recover(root)
			assert.NoError(t, err)
		}
		whole(t, n, files(contents(t, root)), old, complete)
		mends(t, root, complete)
	}
}

// whole holds that every file is as it was or as it is to be.
func whole(t *testing.T, n int, got, old, complete map[string]string) {
	t.Helper()
	for p, content := range got {
		was, there := old[p]
		is, wanted := complete[p]
		if (!there || content != was) && (!wanted || content != is) {
			t.Errorf("operation %d: %s is %q: neither as it was nor complete", n, p, content)
		}
	}
	for p := range old {
		_, stays := complete[p]
		if _, ok := got[p]; stays && !ok {
			t.Errorf("operation %d: %s is gone", n, p)
		}
	}
}
