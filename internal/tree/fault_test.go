// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
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

// project is a directory with files.
func project(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	safefstest.WriteFiles(t, root, files)
	return root
}

// onDisks runs a test on the disk that there is, and on one that cannot exchange files in one step.
func onDisks(t *testing.T, test func(t *testing.T, plain bool)) {
	t.Helper()
	for name, plain := range map[string]bool{"real": false, "plain": true} {
		t.Run(name, func(t *testing.T) { test(t, plain) })
	}
}

// operation is one operation of a write, at which something happens.
type operation struct {
	*testing.T
	n             int
	plain         bool
	root          string
	old, complete map[string]string // the files before and, if all is well, after the write
}

// atEveryOperation runs a test for each operation of a write, until it reports that there was no such operation. The next
// run completes what the test leaves.
func atEveryOperation(t *testing.T, test func(operation) bool) {
	t.Helper()
	complete := files(completed(t))
	onDisks(t, func(t *testing.T, plain bool) {
		for n := 1; ; n++ {
			root := project(t, before)
			if !test(operation{t, n, plain, root, contents(t, root), complete}) {
				assert.GreaterOrEqual(t, n, 20, "operations")
				return
			}
			completes(t, root, complete)
		}
	})
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

// writeOn does to root all that there is to do, on a disk on which something happens. It reports whether it did happen.
func writeOn(t *testing.T, root string, plain bool, n int, happen func() error) (happened bool, err error) {
	t.Helper()
	changes := changesOf(t, wanted(t), root)
	dir, err := os.OpenRoot(root)
	require.NoError(t, err)
	d := &faulty{disk: rootDisk{dir}, plain: plain, left: n, happen: happen}
	err = errors.Join(write(root, d, changes), dir.Close())
	return d.left <= 0, err
}

// contents are the files of a directory and its directories, less those in a stage that a killed run left.
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

// files leaves out the directories: empty ones, which a killed run leaves, are nothing to git.
func files(contents map[string]string) map[string]string {
	maps.DeleteFunc(contents, func(p, _ string) bool { return strings.HasSuffix(p, "/") })
	return contents
}

// noStages holds that no stage is left.
func noStages(t *testing.T, root string) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(root, stagePrefix+"*"))
	assert.Empty(t, left)
}

// completes holds that the next run makes the tree complete and leaves nothing else in it.
func completes(t *testing.T, root string, complete map[string]string) {
	t.Helper()
	_, err := Recover(root)
	assert.NoError(t, err)
	_, err = writeOn(t, root, false, 0, nil)
	assert.NoError(t, err)
	assert.Empty(t, changesOf(t, wanted(t), root))
	assert.Equal(t, complete, files(contents(t, root)))
	noStages(t, root)
}

func completed(t *testing.T) map[string]string {
	t.Helper()
	root := project(t, before)
	_, err := writeOn(t, root, false, 0, nil)
	require.NoError(t, err)
	return contents(t, root)
}

// An error at any operation, such as that of a full disk, leaves the tree as it was, or it was of no account and the tree
// is complete.
func TestErrorAtEveryOperation(t *testing.T) {
	atEveryOperation(t, func(o operation) bool {
		happened, err := writeOn(o.T, o.root, o.plain, o.n, func() error { return &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC} })
		if !happened {
			return false
		}
		got := contents(o.T, o.root)
		if err == nil {
			assert.Subset(o, got, o.complete, "operation %d", o.n)
		} else {
			assert.Equal(o, o.old, got, "operation %d: %v", o.n, err)
			assert.Regexp(o, "no space left on device; nothing was changed; free some disk space, and run the command again$", err.Error(), "operation %d", o.n)
		}
		noStages(o.T, o.root)
		return true
	})
}

// A disk that fails from some operation on does not let what was done be taken back. Still each file is whole.
func TestErrorFromEveryOperationOn(t *testing.T) {
	atEveryOperation(t, func(o operation) bool {
		changes := changesOf(o.T, wanted(o.T), o.root)
		dir, err := os.OpenRoot(o.root)
		require.NoError(o, err)
		d := &faulty{disk: rootDisk{dir}, plain: o.plain, left: o.n}
		d.happen = func() error { d.left = 1; return syscall.EIO }
		err = errors.Join(write(o.root, d, changes), dir.Close())
		if d.left > 1 || err == nil {
			return false
		}
		o.whole()
		return true
	})
}

// whole holds that every file is as it was or as it is to be.
func (o operation) whole() {
	o.Helper()
	if o.plain { // a file may lie in the stage
		_, err := Recover(o.root)
		assert.NoError(o, err)
	}
	got := files(contents(o.T, o.root))
	for p, content := range got {
		was, there := o.old[p]
		is, wanted := o.complete[p]
		assert.True(o, there && content == was || wanted && content == is, "operation %d: %s is %q: neither as it was nor complete", o.n, p, content)
	}
	for p := range o.old {
		if _, stays := o.complete[p]; stays {
			assert.Contains(o, got, p, "operation %d", o.n)
		}
	}
}
