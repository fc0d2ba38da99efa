// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/postprocess"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// leaveGuessed leaves out what calls make that were inferred from the tree where too little shows that they are right. A difference may come
// of options that the call has not. A deep copy has none but its header, which the files of a call share, so one that is equal shows the call;
// of the other generators, at least half of the files that can be compared must be equal. A file that is missing shows nothing.
func (p *project) leaveGuessed(all []comparison) (kept []comparison, left []tree.NotCompared, err error) {
	type origin struct {
		call      int
		generator string
	}
	type evidence struct {
		equal, differ, missing int

		made []string // that are not compared without more of it: all but the equal ones
	}
	of := map[origin]*evidence{}
	for i := range all {
		c := &all[i]
		from := origin{c.call, c.generator}
		if p.settings.Calls[c.call].Inferred == "" {
			continue
		}
		e := of[from]
		if e == nil {
			e = &evidence{}
			of[from] = e
		}
		if c.by != nil {
			switch {
			case c.missing:
				e.missing++
			case len(c.result.Differences) == 0:
				e.equal++
				continue
			case c.isStale():
				e.differ++
			} // otherwise the script may have made the difference, which shows nothing
			e.made = append(e.made, c.path)
			continue
		}
		onDisk, err := safefs.ReadFile(filepath.Join(p.root, filepath.FromSlash(c.path)), safefs.MaxFile)
		switch {
		case err != nil && !os.IsNotExist(err):
			return nil, nil, err
		case err == nil && bytes.Equal(onDisk, c.content):
			e.equal++
			continue
		case err == nil && c.generator == "crd" && postprocess.SameButLists(c.content, onDisk):
			e.equal++
			p.left[c.path] = true
			c.by, c.result = &config.PostProcessed{Path: c.path, By: config.UnknownCommand}, postprocess.Result{How: postprocess.Lists}
			continue
		case err == nil:
			e.differ++
		default:
			e.missing++
		}
		e.made = append(e.made, c.path)
	}
	for _, c := range all {
		e := of[origin{c.call, c.generator}]
		unclear := e != nil && (e.equal == 0 && e.differ+e.missing > 0 || c.generator != "object" && e.differ > e.equal)
		if !unclear || !slices.Contains(e.made, c.path) {
			kept = append(kept, c)
			continue
		}
		if p.left[c.path] = true; c.path == e.made[0] {
			left = append(left, tree.NotCompared{Kind: kinds[c.generator], Tool: strings.TrimSpace(Tool + " " + Version(p.settings, c.call)), Paths: slices.Sorted(slices.Values(e.made)),
				Reason: "no command that crdctl can read generates it, and what the generated files show of the call gives other content; set controllerGen: {calls: […]}, without inferred"})
		}
	}
	return kept, left, nil
}
