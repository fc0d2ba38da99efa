package bench

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// outcome is how two trees that began as one compare.
type outcome struct {
	// outputs is how many files upstream made or changed.
	outputs int
	// kept are files that upstream deleted though another tool made them, and crdctl left as they were.
	kept []string
	// differ are all others that are not the same in both.
	differ []string
}

// String is what the table says.
func (o outcome) String() string {
	switch {
	case len(o.differ) > 0:
		return fmt.Sprintf("DIFFERENT: %s and %d more", o.differ[0], len(o.differ)-1)
	case len(o.kept) > 0:
		return fmt.Sprintf("%d identical (%d of another tool kept)", o.outputs, len(o.kept))
	}
	return fmt.Sprintf("%d identical", o.outputs)
}

// compare compares the trees of upstream and crdctl, byte by byte, and both with what they began as. Sources that the
// bench edited are compared too, and are no outputs.
func compare(start, upstream, crdctl string, edited []place) (o outcome, err error) {
	names := map[string]bool{}
	for _, dir := range []string{upstream, crdctl} {
		if err := filesOf(dir, names); err != nil {
			return o, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old, _, err := read(start, name)
		if err != nil {
			return o, err
		}
		theirs, made, err := read(upstream, name)
		if err != nil {
			return o, err
		}
		ours, have, err := read(crdctl, name)
		if err != nil {
			return o, err
		}
		source := slices.ContainsFunc(edited, func(at place) bool { return at.file == filepath.ToSlash(name) })
		if made && !source && !bytes.Equal(old, theirs) {
			o.outputs++
		}
		switch {
		case made == have && bytes.Equal(theirs, ours):
		case !made && bytes.Equal(old, ours):
			o.kept = append(o.kept, name)
		default:
			o.differ = append(o.differ, name)
		}
	}
	return o, nil
}

// filesOf adds the files of a tree, relative to it, to names.
func filesOf(dir string, names map[string]bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		names[rel] = true
		return err
	})
}

// read is a file of a tree, and whether there is one.
func read(dir, name string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func TestCompare(t *testing.T) {
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, content := range files {
			writeFile(t, filepath.Join(dir, name), []byte(content))
		}
		return dir
	}
	start := map[string]string{"types.go": "types", "other.go": "by another tool", "old.go": "old"}
	for name, test := range map[string]struct {
		upstream, crdctl map[string]string
		want             string
	}{
		"same":              {map[string]string{"types.go": "edited", "new.go": "n", "old.go": "o"}, map[string]string{"types.go": "edited", "new.go": "n", "old.go": "o"}, "2 identical"},
		"kept":              {map[string]string{"new.go": "n"}, map[string]string{"new.go": "n", "other.go": "by another tool"}, "1 identical (1 of another tool kept)"},
		"a byte":            {map[string]string{"new.go": "n"}, map[string]string{"new.go": "m"}, "DIFFERENT: new.go and 0 more"},
		"missing":           {map[string]string{"a/new.go": "n", "b.go": ""}, map[string]string{}, "DIFFERENT: " + filepath.Join("a", "new.go") + " and 1 more"},
		"too many":          {map[string]string{}, map[string]string{"new.go": "n"}, "DIFFERENT: new.go and 0 more"},
		"changed, not kept": {map[string]string{}, map[string]string{"old.go": "new"}, "DIFFERENT: old.go and 0 more"},
		"not removed":       {map[string]string{"old.go": "old"}, map[string]string{}, "DIFFERENT: old.go and 0 more"},
	} {
		if o, err := compare(write(start), write(test.upstream), write(test.crdctl), []place{{file: "types.go"}}); err != nil || o.String() != test.want {
			t.Errorf("%s: %s, %v; want %s", name, o, err, test.want)
		}
	}
}
