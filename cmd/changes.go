// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

// changeOptions are the flags of all commands that change a scaffold.
type changeOptions struct {
	dryRun bool
	output string
}

func (o *changeOptions) register(f *pflag.FlagSet) {
	f.BoolVar(&o.dryRun, "dry-run", false, "list the changes without making them")
	f.StringVarP(&o.output, "output", "o", "text", "`format` of the list: text or json")
}

func (o *changeOptions) checkOutput() error {
	if o.output != "text" && o.output != "json" {
		return ui.UsageErrorf("--output %q must be text or json", o.output)
	}
	return nil
}

// recovered puts back what a killed run took away, before anything is read.
func recovered(s ui.Streams, root string) {
	restored, err := tree.Recover(root)
	for _, line := range restored {
		s.Report().Note("%s", line)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Report().Error(err) // which need not keep the command from its work
	}
}

// changed is one change as JSON has it.
type changed struct {
	Path string  `json:"path"`
	Op   tree.Op `json:"op"`
	// Patch is a unified diff, of files that a user owns.
	Patch string `json:"patch,omitempty"`
}

// carryOut writes changes and lists them, or lists what it would write. Lines that change in files of the user's are shown;
// merged are those files. Paths are printed as they are seen from the project's directory.
func (o *changeOptions) carryOut(s ui.Streams, place change.Location, changes []tree.Change, merged []string) error {
	if !o.dryRun {
		if err := change.Apply(place, changes); err != nil {
			return err
		}
	}
	seen := slices.Clone(changes)
	for i := range seen {
		rel, err := filepath.Rel(place.Root(), filepath.Join(place.Base(), filepath.FromSlash(seen[i].Path)))
		if err != nil {
			return err
		}
		seen[i].Path = filepath.ToSlash(rel)
	}
	theirs := func(c tree.Change) bool {
		return c.Op == tree.Update && (slices.Contains(merged, c.Path) || strings.HasPrefix(c.Path, "../") || slices.Contains([]string{"go.mod", "crdctl.yaml"}, c.Path))
	}
	if o.output == "json" {
		list := []changed{}
		for _, c := range seen {
			one := changed{Path: c.Path, Op: c.Op}
			if theirs(c) {
				one.Patch = c.Patch()
			}
			list = append(list, one)
		}
		return s.JSON(map[string]any{"changes": list, "dryRun": o.dryRun})
	}
	printChanges(s.Out, seen, o.dryRun)
	for _, c := range seen {
		if theirs(c) && filepath.Base(c.Path) != "go.sum" {
			_, _ = fmt.Fprint(s.Err, c.Patch())
		}
	}
	return nil
}
