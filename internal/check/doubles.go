// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/safefs"
)

// doubles are rules of lint that find in Go what rules of preflight find in the CRD, or other ones of lint in a field.
var doubles = map[string][]string{
	"defaults":          {"default-required", "statusoptional"},
	"marker-value":      {"refused-schema", "refused-default"},
	"ssatags":           {"refused-list"},
	"statussubresource": {"status-without-subresource", "subresource-without-status"},
}

// withoutDoubles takes out what another rule reports of the same field or type: one cause is one finding.
func (r *Result) withoutDoubles(p *project.Project) {
	files := map[string][][]byte{}
	all := slices.Clone(r.Findings)
	r.hide(&r.Findings, func(f rule.Finding) bool {
		return slices.ContainsFunc(all, func(other rule.Finding) bool {
			if other.Place.File != f.Place.File || !slices.Contains(doubles[f.Rule.ID], other.Rule.ID) {
				return false
			}
			if kind := f.Subject[strings.LastIndex(f.Subject, ".")+1:]; strings.HasPrefix(other.Message, kind+" ") {
				return true // it is about the kind, and stands at one of its fields
			}
			lines, ok := files[f.Place.File]
			if !ok {
				src, err := safefs.ReadFile(filepath.Join(p.Root, filepath.FromSlash(f.Place.File)), safefs.MaxFile)
				if err != nil {
					return false
				}
				lines = bytes.Split(src, []byte("\n"))
				files[f.Place.File] = lines
			}
			from, to := min(f.Place.Line, other.Place.Line), max(f.Place.Line, other.Place.Line)
			return from > 0 && to <= len(lines) && !slices.ContainsFunc(lines[from-1:to-1], func(line []byte) bool {
				return !bytes.HasPrefix(bytes.TrimSpace(line), []byte("//"))
			})
		})
	})
}
