// SPDX-License-Identifier: Apache-2.0

package main

import "slices"

// score is how often crdctl was right about one repository.
type score struct {
	Files, Right int
	// Undetermined are files about which crdctl says nothing, or nothing certain. That is not right, and not false.
	Undetermined int
	// FalseFresh and FalseStale are files about which it is wrong, with the truth.
	FalseFresh, FalseStale []string
	silent                 []string
	// Outside are changes of files that are not in the table, which code-generator makes: they are to be looked at.
	Outside []string
}

func (s *score) add(other score) {
	s.Files, s.Right, s.Undetermined = s.Files+other.Files, s.Right+other.Right, s.Undetermined+other.Undetermined
	s.FalseFresh, s.FalseStale = append(s.FalseFresh, other.FalseFresh...), append(s.FalseStale, other.FalseStale...)
}

func (s *score) lines(name string) (lines []string) {
	for what, files := range map[string][]string{"false fresh": s.FalseFresh, "false stale": s.FalseStale, "undetermined": s.silent, "not in the table": s.Outside} {
		for _, file := range files {
			lines = append(lines, name+": "+what+": "+file)
		}
	}
	slices.Sort(lines)
	return lines
}

// judge compares an answer with the truth. edited says that the field of the trial was there.
func judge(t table, a answer, edited bool) (s score) {
	said, not := map[string]string{}, map[string]bool{}
	for _, one := range a.NotCompared {
		for _, file := range one.Paths {
			not[file] = true
		}
	}
	for _, file := range a.Compared {
		said[file] = "fresh"
	}
	for _, c := range a.Changes {
		said[c.Path] = c.Op
	}
	listed := map[string]bool{}
	for _, r := range t.Rows {
		listed[r.File] = true
		truth := r.Verdict
		if edited && r.Edited && truth == fresh {
			truth = stale
		}
		s.Files++
		now := said[r.File]
		line := r.File + " (" + string(truth) + ", said " + now + ")"
		if now == "" && !not[r.File] && a.Exit == 0 && (truth == stale || truth == missing || truth == extra) {
			now = "fresh" // all is up to date, it said
		}
		reformattedNow := truth == reformatted && edited && r.Edited
		switch {
		case right(truth, now, not[r.File], reformattedNow):
			s.Right++
		case now == "" || truth == unknown && not[r.File]:
			s.Undetermined++
			s.silent = append(s.silent, line)
		case now == "fresh":
			s.FalseFresh = append(s.FalseFresh, line)
		default:
			s.FalseStale = append(s.FalseStale, line)
		}
	}
	for _, c := range a.Changes {
		switch {
		case listed[c.Path]:
		case c.Op == "missing": // the table has all that controller-gen makes, and clients that are not there are not missed
			s.FalseStale = append(s.FalseStale, c.Path+" (not in the table, said missing)")
		default:
			s.Outside = append(s.Outside, c.Path+" (said "+c.Op+")")
		}
	}
	return s
}

// right reports whether the verdict on a file, "" for nothing, agrees with the truth. Left is set where crdctl names the file as
// one that it did not compare.
func right(truth verdict, said string, left, outdated bool) bool {
	switch truth {
	case reformatted:
		return left && said == "" || said == "fresh" && !outdated || said == "stale" && outdated
	case changed, unknown:
		return left && said == ""
	}
	want, known := map[verdict]string{fresh: "fresh", stale: "stale", missing: "missing", extra: "left-over", absent: ""}[truth]
	return known && said == want
}
