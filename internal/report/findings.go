// SPDX-License-Identifier: Apache-2.0

// Package report puts what verify found into the forms that scripts and CI systems read: JSON, the workflow commands of
// GitHub Actions, SARIF; and, for people, it sums up findings that are too many to be read one by one.
//
// It compares nothing and prints nothing: package tree found the changes, and cmd writes what is made of them.
package report

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// Report is what verify found.
type Report struct {
	// Files is how many files the generators make.
	Files int
	// Compared are the paths of these files, sorted.
	Compared []string
	// Makers are the generators of the files, by path, where they are known.
	Makers map[string]string
	// Changes are what generate would do about those that are not as they make them.
	Changes []tree.Change
	// Notes are what the generators had to say without failing.
	Notes []string
	// Outdated says why the files do not compile with the modules that go.mod requires, or is "".
	Outdated string
	// NotCompared are files of other tools, about which the answer says nothing.
	NotCompared []tree.NotCompared
	// Prefix is the way from the top of the repository to the project, with a slash at its end, or empty: CI systems
	// know files by their path in the repository.
	Prefix string
	// Version is crdctl's.
	Version string
	// Check is what the check found, where it was asked for; else nil.
	Check *Check
}

// Kind is what is wrong with a file.
type Kind string

// The kinds. Their values are part of the output: docs/verify.md names them.
const (
	Missing  Kind = "missing"
	Stale    Kind = "stale"
	LeftOver Kind = "left-over"
)

// kinds has the kind of each change that generate would make, and a sentence about it.
var kinds = map[tree.Op]struct {
	kind     Kind
	sentence string
}{
	tree.Create: {Missing, "generated file is missing"},
	tree.Update: {Stale, "generated file is stale"},
	tree.Delete: {LeftOver, "generated file is left over: it is no longer generated"},
}

// KindOf is what a change that generate would make says about the file on disk.
func KindOf(op tree.Op) Kind { return kinds[op].kind }

// message says what is wrong with a file and what to do about it, and for a stale file the first lines that differ.
func message(c tree.Change) string {
	told := kinds[c.Op].sentence + `; run "crdctl generate" and commit the result`
	if c.Op == tree.Update {
		if d := firstDifference(c).String(); d != "" {
			told += "\n" + d
		}
	}
	return told
}

// Asides are what a reader is told next to the answer: what was not compared, and the notes.
func (r Report) Asides() []string {
	var all []string
	for _, line := range tree.Lines(r.NotCompared) {
		all = append(all, "not compared: "+line)
	}
	return append(all, r.Notes...)
}

// Summary is the answer in a line.
func (r Report) Summary() string {
	if n := len(r.Changes); n > 0 {
		return text.Count(n, "generated file is", "generated files are") + ` not up to date; run "crdctl generate"`
	}
	if r.Outdated != "" {
		return fmt.Sprintf("%d generated files match what the generators write, but do not compile with the modules that go.mod requires", r.Files)
	}
	fresh, others := text.Count(r.Files, "generated file is", "generated files are")+" up to date", 0
	for _, n := range r.NotCompared {
		others += len(n.Paths)
	}
	if others > 0 {
		fresh += "; " + text.Count(others, "file was", "files were") + " not compared"
	}
	return fresh
}
