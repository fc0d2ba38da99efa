// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// leaveGuessed leaves out what calls make that were inferred from the tree where nothing shows that they are right: none of their files is
// as it is on disk. A difference may come of options that the call has not, so the files are not stale for that.
func (p *project) leaveGuessed(all []comparison) (kept []comparison, left []tree.NotCompared, err error) {
	type origin struct {
		call      int
		generator string
	}
	differ, processed, shown := map[origin][]string{}, map[origin][]string{}, map[origin]bool{}
	for _, c := range all {
		if p.settings.Calls[c.call].Inferred == "" {
			continue
		}
		if from := (origin{c.call, c.generator}); c.by != nil { // it differs anyhow, which shows nothing
			processed[from] = append(processed[from], c.path)
			continue
		}
		onDisk, err := safefs.ReadFile(filepath.Join(p.root, filepath.FromSlash(c.path)), safefs.MaxFile)
		if err != nil && !os.IsNotExist(err) {
			return nil, nil, err
		}
		from := origin{c.call, c.generator}
		if err == nil && bytes.Equal(onDisk, c.content) {
			shown[from] = true
		} else {
			differ[from] = append(differ[from], c.path)
		}
	}
	for _, c := range all {
		from := origin{c.call, c.generator}
		files := differ[from]
		if len(files) == 0 || shown[from] {
			kept = append(kept, c)
			continue
		}
		if p.left[c.path] = true; c.path == files[0] {
			left = append(left, tree.NotCompared{Kind: kinds[c.generator], Tool: strings.TrimSpace(Tool + " " + Version(p.settings, c.call)), Paths: slices.Sorted(slices.Values(append(files, processed[from]...))),
				Reason: "no command that crdctl can read generates it, and what the generated files show of the call gives other content; set controllerGen: {calls: […]}"})
		}
	}
	return kept, left, nil
}
