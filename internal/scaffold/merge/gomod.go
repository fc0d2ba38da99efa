// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// goMod gives mine every requirement of theirs that base has not, and the later version of the others. What mine requires
// besides stays, with its comments, and so does all else that go.mod can say.
func goMod(name string, base, mine, theirs []byte) ([]byte, error) {
	m, err := modfile.Parse(name, mine, nil)
	if err != nil {
		return nil, err
	}
	t, err := modfile.Parse(name, theirs, nil)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	if b, err := modfile.ParseLax(name, base, nil); err == nil {
		for _, r := range b.Require {
			known[r.Mod.Path] = true
		}
	}
	have := map[string]string{}
	for _, r := range m.Require {
		have[r.Mod.Path] = r.Mod.Version
	}
	require := m.Require
	for _, r := range t.Require {
		version, there := have[r.Mod.Path]
		switch {
		case there && semver.Compare(version, r.Mod.Version) < 0:
			for _, mine := range require {
				if mine.Mod.Path == r.Mod.Path {
					mine.Mod.Version = r.Mod.Version
				}
			}
		case !there && !known[r.Mod.Path]:
			require = append(require, &modfile.Require{Mod: r.Mod, Indirect: r.Indirect})
		}
	}
	m.SetRequireSeparateIndirect(require)
	if m.Go == nil || t.Go != nil && semver.Compare("v"+m.Go.Version, "v"+t.Go.Version) < 0 {
		if err := m.AddGoStmt(t.Go.Version); err != nil {
			return nil, err
		}
	}
	m.SortBlocks()
	m.Cleanup()
	return m.Format()
}

// goSum has the lines of both: a sum that is not needed does no harm.
func goSum(mine, theirs []byte) []byte {
	all := map[string]bool{}
	for _, content := range [][]byte{mine, theirs} {
		for line := range bytes.Lines(content) {
			if line := strings.TrimSpace(string(line)); line != "" {
				all[line] = true
			}
		}
	}
	return []byte(strings.Join(slices.Sorted(maps.Keys(all)), "\n") + "\n")
}
