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

// CheckSince judges as Check does, and puts aside what was wrong already in an older state of the packages: base has the Go files of the
// directories as they were. Unless all is set, only rules that are for new fields make the difference. What packages import is taken as it is
// today: where base cannot be judged because it imports what has gone, the findings are those that may be new, and an error says why, unless
// none may be.
func CheckSince(ctx context.Context, s Source, base map[string]map[string][]byte, now func(dir string) (map[string][]byte, error), all bool) (*Result, error) {
	r, err := Check(ctx, s)
	if err != nil {
		return nil, err
	}
	changed := map[string]map[string][]byte{}
	same := map[string]bool{}
	for dir, files := range base {
		today, err := now(dir)
		if err != nil {
			return nil, err
		}
		if same[dir] = maps.EqualFunc(files, today, bytes.Equal); !same[dir] && len(files) > 0 {
			changed[dir] = files
		}
	}
	was := map[string]int{}
	var lacksBase error
	if len(changed) > 0 {
		old := s
		old.Files, old.Dirs = changed, r.dirs // of others nothing is reported
		before, err := Check(ctx, old)
		if ctx.Err() != nil {
			return nil, err
		}
		if lacksBase = err; err == nil {
			for _, f := range before.Findings {
				was[f.Fingerprint()]++
			}
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f rule.Finding) bool {
		is := same[path.Dir(f.Place.File)]
		if key := f.Fingerprint(); !is && was[key] > 0 {
			was[key]--
			is = true
		}
		if is = is && (all || ForNew(f)); is {
			r.Older = append(r.Older, f)
		}
		return is
	})
	if len(r.Findings) == 0 {
		lacksBase = nil // all there is stands in files that are as they were
	}
	return r, lacksBase
}
