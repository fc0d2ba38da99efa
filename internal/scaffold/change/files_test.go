// SPDX-License-Identifier: Apache-2.0

package change

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/tree"
)

func treeOf(t *testing.T, files map[string]string) *tree.Tree {
	t.Helper()
	out := tree.New()
	for name, content := range files {
		require.NoError(t, out.Add(name, []byte(content)))
	}
	return out
}

func planOf(disk fs.FS, before, after *tree.Tree) (*Plan, error) {
	p := &Plan{Tree: tree.New(), Conflicts: map[string]int{}}
	return p, p.addFiles(disk, before, after)
}

// What becomes of one file, for all that can have happened to it on the three sides. "" is a file that does not exist.
func TestFiles(t *testing.T) {
	const was, is = "a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"
	for name, c := range map[string]struct{ before, disk, after, want string }{
		"new":                       {"", "", is, "writes " + is},
		"new, and there already":    {"", is, is, ""},
		"new, with another there":   {"", was, is, "in the way"},
		"the same":                  {was, was, was, ""},
		"the same, but edited":      {was, "mine\n", was, ""},
		"changed":                   {was, was, is, "merged, writes " + is},
		"changed, and edited":       {was, "A\nb\nc\nd\ne\n", is, "merged, writes A\nb\nc\nd\nE\n"},
		"changed, and done by hand": {was, is, is, ""},
		"changed, and removed":      {was, "", is, "gone"},
		"changed, and edited there": {was, "a\nb\nc\nd\nmine\n", is, "merged, 1 conflict, writes a\nb\nc\nd\n<<<<<<< yours\nmine\n=======\nE\n>>>>>>> crdctl\n"},
		"no more":                   {was, was, "", "removes"},
		"no more, and edited":       {was, "mine\n", "", "edited"},
		"no more, and removed":      {was, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			side := func(content string) map[string]string {
				if content == "" {
					return nil
				}
				return map[string]string{"d/f.txt": content}
			}
			disk := fstest.MapFS{}
			for name, content := range side(c.disk) {
				disk[name] = &fstest.MapFile{Data: []byte(content)}
			}
			p, err := planOf(disk, treeOf(t, side(c.before)), treeOf(t, side(c.after)))
			require.NoError(t, err)
			assert.Equal(t, c.want, describe(t, p, c.disk))
		})
	}
}

// describe says what a plan is for the one file.
func describe(t *testing.T, p *Plan, disk string) string {
	t.Helper()
	var said []string
	for words, files := range map[string][]string{"in the way": p.InTheWay, "edited": p.Edited, "gone": p.Gone, "merged": p.Merged} {
		if len(files) > 0 {
			said = append(said, words)
		}
	}
	if n := p.Conflicts["d/f.txt"]; n > 0 {
		said = append(said, fmt.Sprintf("%d conflict", n))
	}
	if content, ok := p.Tree.Content("d/f.txt"); ok {
		said = append(said, "writes "+string(content))
	}
	root := t.TempDir()
	if disk != "" {
		gentest.Write(t, root, treeOf(t, map[string]string{"d/f.txt": disk}))
	}
	changes, err := p.Tree.Diff(root)
	require.NoError(t, err)
	for _, c := range changes {
		if c.Op == tree.Delete {
			said = append(said, "removes")
		}
	}
	return strings.Join(said, ", ")
}

// A change that is no Go together with the user's own is not written, whatever the lines say.
func TestMergedGoParses(t *testing.T) {
	before := treeOf(t, map[string]string{"a.go": "package a\n\nfunc f() {\n\tone()\n}\n\nfunc g() {\n}\n"})
	after := treeOf(t, map[string]string{"a.go": "package a\n\nfunc f() {\n\tone()\n\tif two() {\n}\n\nfunc g() {\n}\n}\n"})
	disk := fstest.MapFS{"a.go": {Data: []byte("package a\n\n// mine\nfunc f() {\n\tone()\n}\n\nfunc g() {\n}\n")}}
	// What comes is valid by itself only with the lines that the user took out.
	disk["a.go"].Data = []byte(strings.Replace(string(disk["a.go"].Data), "func g() {\n}\n", "", 1))
	if p, err := planOf(disk, before, after); err == nil && len(p.Conflicts) == 0 {
		content, _ := p.Tree.Content("a.go")
		t.Errorf("no error, but\n%s", content)
	}
}
