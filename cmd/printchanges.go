// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"fmt"
	"io"

	"github.com/crdctl/crdctl/internal/tree"
)

// tally counts changes, and the files among those that were made that stay as they are.
func tally(changes []tree.Change, files int, dryRun bool) string {
	removed := 0
	for _, c := range changes {
		if c.Op == tree.Delete {
			removed++
		}
	}
	written := len(changes) - removed
	verbs := "%d written, %d removed, %d unchanged"
	if dryRun {
		verbs = "%d to write, %d to remove, %d unchanged"
	}
	return fmt.Sprintf(verbs, written, removed, files-written)
}

// printChanges lists changes, one a line, for people and for scripts.
func printChanges(w io.Writer, changes []tree.Change, dryRun bool) {
	for _, c := range changes {
		op := string(c.Op)
		if !dryRun {
			op = map[tree.Op]string{tree.Create: "created", tree.Update: "updated", tree.Delete: "deleted"}[c.Op]
		}
		_, _ = fmt.Fprintf(w, "%s %s\n", op, c.Path)
	}
}
