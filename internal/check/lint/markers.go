// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// markerRules are the rules of what markerlint finds.
var markerRules = map[markerlint.About]string{
	markerlint.Unknown: "marker-unknown", markerlint.Misplaced: "marker-misplaced", markerlint.Value: "marker-value", markerlint.Plural: "kind-plural",
}

// markers finds tags that the generators of the project ignore, or fail on.
func markers(s Source) ([]rule.Finding, error) {
	families, dirs := s.Tags, s.Dirs
	if s.Files != nil {
		families.Sources = map[string][]byte{}
		for dir, files := range s.Files {
			for name, src := range files {
				if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
					families.Sources[path.Join(dir, name)] = src
				}
			}
		}
		dirs = slices.Sorted(maps.Keys(s.Files))
	}
	found, err := markerlint.Check(s.Root, dirs, families)
	if err != nil {
		return nil, err
	}
	var all []rule.Finding
	for _, f := range found {
		if !slices.Contains(dirs, path.Dir(f.File)) {
			continue // a directory below
		}
		// What the message names is the subject: without the line, the file is the most that stays the same.
		one := rule.New(markerRules[f.About], rule.Place{File: f.File, Line: f.Line, Col: f.Col}, f.File, "%s", f.Message)
		if f.Severity == markerlint.Error && s.Refused {
			one.Severity = rule.Error
		}
		problem, fix, ok := strings.Cut(one.Message, "; ")
		if ok {
			one.Message, one.Fix = problem, strings.ToUpper(fix[:1])+fix[1:]
			if !strings.HasSuffix(one.Fix, "?") {
				one.Fix += "."
			}
		}
		all = append(all, one)
	}
	return all, nil
}
