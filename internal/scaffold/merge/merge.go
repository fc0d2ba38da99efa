// SPDX-License-Identifier: Apache-2.0

// Package merge brings two changes of one file together: what its user made of it, and what a tool would make of it today.
//
// It works on bytes, and knows neither disks nor what a scaffold is. The lines are compared by epiclabs-io/diff3, the one
// maintained implementation in Go; go.mod and go.sum are not lines in an order, and are merged by what they mean.
package merge

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/epiclabs-io/diff3"
)

// The marks of a conflict, as git writes them.
const (
	markMine   = "<<<<<<< yours\n"
	markMiddle = "=======\n"
	markTheirs = ">>>>>>> crdctl\n"
)

// Result is a merged file.
type Result struct {
	Content []byte
	// Conflicts is the number of places at which both sides changed the same lines. Both stand there, between marks.
	Conflicts int
}

// Files merges what became of base on two sides. Where one side alone changed something, or both did the same, that is
// what comes out. Name is the path of the file, and tells its kind.
func Files(name string, base, mine, theirs []byte) (Result, error) {
	switch {
	case bytes.Equal(mine, theirs), bytes.Equal(base, theirs):
		return Result{Content: mine}, nil
	case bytes.Equal(base, mine):
		return Result{Content: theirs}, nil
	}
	switch path.Base(name) {
	case "go.mod":
		content, err := goMod(name, base, mine, theirs)
		return Result{Content: content}, err
	case "go.sum":
		return Result{Content: goSum(mine, theirs)}, nil
	}
	return lines(base, mine, theirs), nil
}

func lines(base, mine, theirs []byte) Result {
	// A checkout with carriage returns stays one.
	returns := bytes.Contains(mine, []byte("\n")) && bytes.Count(mine, []byte("\r\n")) == bytes.Count(mine, []byte("\n"))
	if returns {
		mine = bytes.ReplaceAll(mine, []byte("\r\n"), []byte("\n"))
	}
	var out strings.Builder
	conflicts := 0
	write := func(parts ...[]string) {
		for _, part := range parts {
			for _, line := range part {
				out.WriteString(line)
			}
		}
	}
	for _, block := range diff3.Diff3Merge(split(mine), split(base), split(theirs), true) {
		write(block.Ok)
		if block.Conflict == nil {
			continue
		}
		for _, c := range narrow(block.Conflict.A, block.Conflict.O, block.Conflict.B) {
			if write(c.agreed); len(c.mine)+len(c.theirs) > 0 {
				conflicts++
				write([]string{markMine}, c.mine, []string{markMiddle}, c.theirs, []string{markTheirs})
			}
		}
	}
	content := out.String()
	if returns {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	if !bytes.HasSuffix(mine, []byte("\n")) && conflicts == 0 && !bytes.HasSuffix(theirs, []byte("\n")) {
		content = strings.TrimSuffix(content, "\n")
	}
	return Result{Content: []byte(content), Conflicts: conflicts}
}

// split returns lines that all end in a line feed: the last line of a file is the same with and without one.
func split(content []byte) []string {
	text := string(content)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return slices.Collect(strings.Lines(text))
}

// conflict is lines on which both sides agree, and lines after them on which they do not.
type conflict struct{ agreed, mine, theirs []string }

// narrow finds what of a conflict both sides changed, and changed otherwise. A conflict takes in what only touches another
// change; where no side added or removed lines, each line can be looked at by itself.
func narrow(mine, base, theirs []string) []conflict {
	if len(mine) != len(base) || len(theirs) != len(base) {
		before, a, b, after := trim(mine, theirs)
		return []conflict{{before, a, b}, {agreed: after}}
	}
	var all []conflict
	for i := range base {
		switch {
		case mine[i] == base[i]:
			all = append(all, conflict{agreed: theirs[i : i+1]})
		case theirs[i] == base[i], theirs[i] == mine[i]:
			all = append(all, conflict{agreed: mine[i : i+1]})
		case len(all) > 0 && len(all[len(all)-1].mine) > 0:
			last := &all[len(all)-1]
			last.mine, last.theirs = append(last.mine, mine[i]), append(last.theirs, theirs[i])
		default:
			all = append(all, conflict{mine: []string{mine[i]}, theirs: []string{theirs[i]}})
		}
	}
	return all
}

// trim takes off what the two sides of a conflict have in common at their beginnings and ends.
func trim(a, b []string) (before, restA, restB, after []string) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	before, a, b = a[:n], a[n:], b[n:]
	n = 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return before, a[:len(a)-n], b[:len(b)-n], a[len(a)-n:]
}
