// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// entrypoint is the command of an image, as a list. Other forms are for a shell.
var entrypoint = lazyregexp.New(`(?mi)^ENTRYPOINT\s+(\[.*\])\s*$`)

// starters are programs that start another one.
var starters = []string{"sh", "bash", "tini", "dumb-init", "env", "catatonit"}

// subcommand are the words between the program and its flags in the Dockerfile of the project's root: a program with subcommands does
// nothing without one.
func subcommand(root string) (words []string) {
	data, err := safefs.ReadFile(filepath.Join(root, "Dockerfile"), safefs.MaxFile)
	if err != nil {
		return nil
	}
	all := entrypoint.FindAllSubmatch(data, -1)
	if len(all) == 0 {
		return nil
	}
	var command []string
	if err := json.Unmarshal(all[len(all)-1][1], &command); err != nil || len(command) == 0 || slices.Contains(starters, filepath.Base(command[0])) {
		return nil
	}
	for _, w := range command[1:] {
		if strings.HasPrefix(w, "-") || strings.ContainsAny(w, "/.$") {
			break
		}
		words = append(words, w)
	}
	return words
}
