// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// ForNew reports whether a finding counts for new fields only: what nearly every field of older APIs lacks, and cannot be given later
// without breaking those who use it.
func ForNew(f rule.Finding) bool {
	switch f.Rule.ID {
	case "maxlength", "int-range":
		return true
	case "optionalorrequired":
		return strings.Contains(f.Message, "must be marked")
	case "ssatags":
		return strings.Contains(f.Message, "should have a listType marker")
	}
	return false
}

// CheckSince returns what is wrong and was not wrong in an older state of the packages, and what was: base has the Go files of the directories as
// they were. Unless all is set, only rules that are for new fields make the difference. What packages import is taken as it is today: where
// base cannot be judged because it imports what has gone, found is what may be new, and an error says why, unless nothing may be.
func CheckSince(ctx context.Context, s Source, base map[string]map[string][]byte, now func(dir string) (map[string][]byte, error), all bool) (found, older []rule.Finding, err error) {
	found, err = Check(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	changed := map[string]map[string][]byte{}
	same := map[string]bool{}
	for dir, files := range base {
		today, err := now(dir)
		if err != nil {
			return nil, nil, err
		}
		if same[dir] = maps.EqualFunc(files, today, bytes.Equal); !same[dir] && len(files) > 0 {
			changed[dir] = files
		}
	}
	was := map[string]int{}
	var lacksBase error
	if len(changed) > 0 {
		old := s
		old.Files = changed
		before, err := Check(ctx, old)
		if ctx.Err() != nil {
			return nil, nil, err
		}
		lacksBase = err
		for _, f := range before {
			was[f.Fingerprint()]++
		}
	}
	found = slices.DeleteFunc(found, func(f rule.Finding) bool {
		is := same[path.Dir(f.Place.File)]
		if key := f.Fingerprint(); !is && was[key] > 0 {
			was[key]--
			is = true
		}
		if is = is && (all || ForNew(f)); is {
			older = append(older, f)
		}
		return is
	})
	if len(found) == 0 {
		lacksBase = nil // all there is stands in files that are as they were
	}
	return found, older, lacksBase
}
