// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sums are the checksums of a tree's files by their names, and of where links lead: a benchmark has to stay small, and cannot hold the
// files.
func sums(tb testing.TB, dir string) map[string][sha256.Size]byte {
	tb.Helper()
	all := map[string][sha256.Size]byte{}
	root := os.DirFS(dir)
	check(tb, fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(filepath.Join(dir, filepath.FromSlash(path)))
			all[path] = sha256.Sum256([]byte(to))
			return err
		}
		data, err := fs.ReadFile(root, path)
		all[path] = sha256.Sum256(data)
		return err
	}))
	return all
}

// compare compares the trees of upstream and crdctl, and both with what they began as. It returns how many files upstream made or
// changed, and which differ; those do not that upstream deleted though another tool made them, and crdctl left as they were. Sources that
// the benchmark edited are compared too, and are not outputs.
func compare(tb testing.TB, start, upstream, crdctl string, edited []place) (outputs int, differ []string) {
	tb.Helper()
	old, theirs, ours := sums(tb, start), sums(tb, upstream), sums(tb, crdctl)
	all := maps.Clone(theirs)
	maps.Copy(all, ours)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		_, made := theirs[name]
		_, have := ours[name]
		source := slices.ContainsFunc(edited, func(at place) bool { return at.file == name })
		if made && !source && theirs[name] != old[name] {
			outputs++
		}
		if (made != have || theirs[name] != ours[name]) && (made || ours[name] != old[name]) {
			differ = append(differ, name)
		}
	}
	return outputs, differ
}

func TestCompare(t *testing.T) {
	type files map[string]string
	write := func(files files) string {
		dir := t.TempDir()
		for name, content := range files {
			writeFile(t, filepath.Join(dir, name), []byte(content))
		}
		return dir
	}
	start := files{"types.go": "types", "other.go": "by another tool", "old.go": "old"}
	for name, test := range map[string]struct {
		upstream, crdctl files
		outputs          int
		differ           []string
	}{
		"same":              {files{"types.go": "edited", "new.go": "n", "old.go": "o"}, files{"types.go": "edited", "new.go": "n", "old.go": "o"}, 2, nil},
		"kept":              {files{"new.go": "n"}, files{"new.go": "n", "other.go": "by another tool"}, 1, nil},
		"a byte":            {files{"new.go": "n"}, files{"new.go": "m"}, 1, []string{"new.go"}},
		"missing":           {files{"a/new.go": "n", "b.go": ""}, files{}, 2, []string{"a/new.go", "b.go"}},
		"too many":          {files{}, files{"new.go": "n"}, 0, []string{"new.go"}},
		"changed, not kept": {files{}, files{"old.go": "new"}, 0, []string{"old.go"}},
		"not removed":       {files{"old.go": "old"}, files{}, 0, []string{"old.go"}},
	} {
		outputs, differ := compare(t, write(start), write(test.upstream), write(test.crdctl), []place{{file: "types.go"}})
		assert.Equal(t, test.outputs, outputs, name)
		assert.Equal(t, test.differ, differ, name)
	}
}
