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

// evidence is what the files of a generator show of an inferred call.
type evidence struct {
	equal, differ, missing int

	made []string // that are not compared without more of it: all but the equal ones
}

// unclear reports whether that is too little to compare what the call makes.
func (e *evidence) unclear(generator string) bool {
	return e.equal == 0 && e.differ+e.missing > 0 || generator != "object" && e.differ > e.equal
}

// leaveGuessed leaves out what calls make that were inferred from the tree where too little shows that they are right. A difference may come
// of options that the call has not. A deep copy has none but its header, which the files of a call share, so one that is equal shows the call;
// of the other generators, at least half of the files that can be compared must be equal. A file that is missing shows nothing.
func (p *project) leaveGuessed(all []comparison) (kept []comparison, left []tree.NotCompared, err error) {
	type origin struct {
		call      int
		generator string
	}
	of := map[origin]*evidence{}
	for i := range all {
		c := &all[i]
		if p.settings.Calls[c.call].Inferred == "" {
			continue
		}
		from := origin{c.call, c.generator}
		if of[from] == nil {
			of[from] = &evidence{}
		}
		if err := p.weigh(c, of[from]); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range all {
		e := of[origin{c.call, c.generator}]
		if e == nil || !e.unclear(c.generator) || !slices.Contains(e.made, c.path) {
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

// weigh adds what one file shows to the evidence.
func (p *project) weigh(c *comparison, e *evidence) error {
	switch equal, missing, err := p.equalOnDisk(c); {
	case err != nil:
		return err
	case equal:
		e.equal++
		return nil
	case missing:
		e.missing++
	case c.by == nil || c.isStale(): // otherwise the script may have made the difference, which shows nothing
		e.differ++
	}
	e.made = append(e.made, c.path)
	return nil
}

// equalOnDisk reports whether a file is as the call makes it, but for what is known to change it, or missing. A CRD whose lists alone are
// written otherwise counts as equal, and as changed by a command that is not known.
func (p *project) equalOnDisk(c *comparison) (equal, missing bool, err error) {
	if c.by != nil {
		return !c.missing && len(c.result.Differences) == 0, c.missing, nil
	}
	onDisk, err := safefs.ReadFile(filepath.Join(p.root, filepath.FromSlash(c.path)), safefs.MaxFile)
	switch {
	case os.IsNotExist(err):
		return false, true, nil
	case err != nil:
		return false, false, err
	case bytes.Equal(onDisk, c.content):
		return true, false, nil
	case c.generator == "crd" && postprocess.SameButLists(c.content, onDisk):
		p.left[c.path] = true
		c.by, c.result = &config.PostProcessed{Path: c.path, By: config.UnknownCommand}, postprocess.Result{How: postprocess.Lists}
		return true, false, nil
	}
	return false, false, nil
}
