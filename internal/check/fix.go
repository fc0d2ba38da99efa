// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// Fixes are the changes of files that fix those findings whose fix is certain. Nothing is written: tree.Write does that, all or nothing.
func Fixes(root string, found []rule.Finding) ([]tree.Change, error) {
	edits := map[string][]rule.Edit{}
	for _, f := range found {
		if f.Edit != nil {
			edits[f.Place.File] = append(edits[f.Place.File], *f.Edit)
		}
	}
	var changes []tree.Change
	for _, file := range slices.Sorted(maps.Keys(edits)) {
		old, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(file)), safefs.MaxFile)
		if err != nil {
			return nil, err
		}
		text, err := edit(old, edits[file])
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
		}
		if err != nil {
			return nil, fmt.Errorf("fix %s: %w; nothing was written", file, err)
		}
		if bytes.Equal(old, text) {
			continue
		}
		changes = append(changes, tree.Change{Path: file, Op: tree.Update, Old: old, New: text})
	}
	return changes, nil
}

// edit makes the edits of a file, from its end on.
func edit(src []byte, edits []rule.Edit) ([]byte, error) {
	lines := bytes.SplitAfter(src, []byte("\n"))
	slices.SortFunc(edits, func(a, b rule.Edit) int { return cmp.Compare(b.Line, a.Line) })
	for _, e := range slices.Compact(edits) {
		if e.Line < 1 || e.Line > len(lines) || !strings.Contains(string(lines[e.Line-1]), e.Has) {
			return nil, fmt.Errorf("line %d changed during the command; run it again", e.Line)
		}
		line := lines[e.Line-1]
		if e.Insert == "" {
			lines = slices.Delete(lines, e.Line-1, e.Line)
			continue
		}
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(e.Has)) {
			continue // as in "type A struct{ B string }": above the line, the marker would be that of the type
		}
		end := "\n"
		if bytes.HasSuffix(line, []byte("\r\n")) {
			end = "\r\n"
		}
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		lines = slices.Insert(lines, e.Line-1, slices.Concat(indent, []byte(e.Insert+end)))
	}
	return bytes.Join(lines, nil), nil
}
