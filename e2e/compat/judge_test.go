// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		truth  verdict
		said   string // the operation of a change, "fresh", "left" for not compared, or "" for nothing
		exit   int
		edited bool
		want   score
	}{
		{fresh, "fresh", 0, false, score{Right: 1}},
		{fresh, "stale", 1, false, score{FalseStale: []string{"a (fresh, said stale)"}}},
		{fresh, "", 0, false, score{Undetermined: 1}},
		{fresh, "left", 0, false, score{Undetermined: 1}},
		{fresh, "stale", 1, true, score{Right: 1}},
		{fresh, "fresh", 0, true, score{FalseFresh: []string{"a (stale, said fresh)"}}},
		{stale, "stale", 1, false, score{Right: 1}},
		{stale, "fresh", 0, false, score{FalseFresh: []string{"a (stale, said fresh)"}}},
		{stale, "", 0, false, score{FalseFresh: []string{"a (stale, said )"}}}, // "up to date", and nothing about the file
		{stale, "", 2, false, score{Undetermined: 1}},
		{stale, "left", 0, false, score{Undetermined: 1}},
		{missing, "missing", 1, false, score{Right: 1}},
		{absent, "", 0, false, score{Right: 1}},
		{absent, "missing", 1, false, score{FalseStale: []string{"a (absent, said missing)"}}},
		{extra, "left-over", 1, false, score{Right: 1}},
		{reformatted, "left", 0, false, score{Right: 1}},
		{reformatted, "fresh", 0, false, score{Right: 1}},
		{reformatted, "stale", 1, false, score{FalseStale: []string{"a (reformatted, said stale)"}}},
		{reformatted, "fresh", 0, true, score{FalseFresh: []string{"a (reformatted, said fresh)"}}},
		{reformatted, "stale", 1, true, score{Right: 1}},
		{changed, "left", 0, false, score{Right: 1}},
		{changed, "fresh", 0, false, score{FalseFresh: []string{"a (postprocessed, said fresh)"}}},
		{unknown, "left", 0, false, score{Right: 1}},
	} {
		a := answer{Exit: test.exit}
		switch test.said {
		case "":
		case "left":
			a.NotCompared = append(a.NotCompared, struct{ Paths []string }{[]string{"a"}})
		case "fresh":
			a.Compared = []string{"a"}
		default:
			a.Changes = append(a.Changes, struct{ Path, Op string }{"a", test.said})
		}
		got := judge(table{Rows: []row{{File: "a", Verdict: test.truth, Edited: true}}}, a, test.edited)
		got.silent = nil
		test.want.Files = 1
		assert.Equal(t, test.want, got, "%+v", test)
	}
	a := answer{Changes: []struct{ Path, Op string }{{"client.go", "missing"}, {"lister.go", "stale"}}}
	got := judge(table{}, a, false)
	assert.Equal(t, []string{"client.go (not in the table, said missing)"}, got.FalseStale)
	assert.Equal(t, []string{"lister.go (said stale)"}, got.Outside)
}

// The tables are whole: each names a place for the trial's field, and a file that it changes.
func TestTables(t *testing.T) {
	all, err := readTables()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, one := range all {
		assert.NotEmpty(t, one.Edit.Line, one.Name)
		edited := false
		for _, r := range one.Rows {
			edited = edited || r.Edited
		}
		assert.True(t, edited, "%s: no file changes with the field of %s", one.Name, one.Edit.File)
		assert.Len(t, one.Commit, 40, one.Name)
	}
	_, err = parse("# repository a/b\n# commit c\nobject\tgood\t-\tf")
	assert.ErrorContains(t, err, `line 3: "good" is not a verdict`)
	_, err = parse(strings.Repeat("x\t", 2))
	assert.ErrorContains(t, err, "line 1 has 2 cells")
}
