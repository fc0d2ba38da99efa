// SPDX-License-Identifier: Apache-2.0

package server

import (
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// findings are those that the recording has: the last record of an ID holds.
type findings struct {
	byID map[string]trace.Finding
}

func newFindings() *findings { return &findings{byID: map[string]trace.Finding{}} }

func (f *findings) add(r trace.Record) {
	if b, ok := r.Body.(*trace.Finding); ok {
		f.byID[b.ID] = *b
	}
}

// all returns the findings: those that are open first, each the newest first.
func (f *findings) all() []trace.Finding {
	all := make([]trace.Finding, 0, len(f.byID))
	for _, b := range f.byID {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b trace.Finding) int {
		switch {
		case (a.Until == 0) != (b.Until == 0):
			if a.Until == 0 {
				return -1
			}
			return 1
		case a.Since != b.Since:
			return int(b.Since - a.Since)
		case a.ID < b.ID:
			return -1
		}
		return 1
	})
	return all
}
