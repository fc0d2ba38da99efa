// SPDX-License-Identifier: Apache-2.0

package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed testdata/*.tsv
var testdata embed.FS

// verdict is the truth about a file.
type verdict string

const (
	fresh   verdict = "fresh"    // as controller-gen makes it
	stale   verdict = "stale"    // not so
	missing verdict = "missing"  // controller-gen makes it, and it is not checked in
	absent  verdict = "absent"   // the same, and a script deletes it on purpose
	extra   verdict = "leftover" // controller-gen made it once, and no more
	// reformatted is a file that a script changed after controller-gen wrote it, in its form only: it is known to be up to date.
	reformatted verdict = "reformatted"
	// changed is a file whose content a script changed: what there is to compare is up to the script.
	changed verdict = "postprocessed"
	// unknown is a file that controller-gen cannot make here, because the modules are not available.
	unknown verdict = "unknown"
)

// table is the truth about one repository at one commit.
type table struct {
	Name, Repository, Commit string
	// Dir is where verify runs, Edit the line of a file after which the trial's field is added.
	Dir  string
	Edit struct{ File, Line string }
	Rows []row
}

type row struct {
	Generator string
	Verdict   verdict
	Edited    bool // the field of the trial changes this file
	File      string
}

// readTables reads the tables, sorted by name.
func readTables() (all []table, err error) {
	names, err := fs.Glob(testdata, "testdata/*.tsv")
	for _, name := range names {
		data, err := testdata.ReadFile(name)
		if err != nil {
			return nil, err
		}
		t, err := parse(string(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.Name = strings.TrimSuffix(path.Base(name), ".tsv")
		all = append(all, t)
	}
	return all, err
}

// parse reads a table: lines of the form "# KEY VALUE", then GENERATOR VERDICT EDITED FILE, separated by tabs, EDITED being "edit" or
// "-". Text after these is for people.
func parse(text string) (t table, err error) {
	t.Dir = "."
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			key, value, _ := strings.Cut(comment, " ")
			switch key {
			case "repository":
				t.Repository = value
			case "commit":
				t.Commit = value
			case "dir":
				t.Dir = value
			case "edit":
				t.Edit.File, t.Edit.Line, _ = strings.Cut(value, "\t")
			}
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) < 4 {
			return t, fmt.Errorf("line %d has %d cells; want generator, verdict, edit or -, and file", i+1, len(cells))
		}
		r := row{Generator: cells[0], Verdict: verdict(cells[1]), Edited: cells[2] == "edit", File: cells[3]}
		switch r.Verdict {
		case fresh, stale, missing, absent, extra, reformatted, changed, unknown:
		default:
			return t, fmt.Errorf("line %d: %q is not a verdict", i+1, r.Verdict)
		}
		t.Rows = append(t.Rows, r)
	}
	if t.Repository == "" || t.Commit == "" || len(t.Rows) == 0 {
		return t, errors.New("want a repository, a commit and rows")
	}
	return t, nil
}
