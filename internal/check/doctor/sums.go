// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/workspace"
)

// sums finds modules that need others, and have no go.sum. In a workspace, and with a vendor directory, the go command may do without.
func sums(s *Source) (all []rule.Finding) {
	for _, m := range s.controllers() {
		dir := filepath.Join(s.Root, filepath.FromSlash(m.Dir()))
		if _, used, err := workspace.AboveWorkspace(dir); used || err != nil || !empty(filepath.Join(dir, "go.sum")) || !empty(filepath.Join(dir, "vendor", "modules.txt")) {
			continue
		}
		needs := m.requirements()
		for _, r := range m.Mod.Require {
			if q := needs[r.Mod.Path]; q.version == "" { // a directory, which has no sum
				continue
			}
			all = append(all, rule.New("go-sum-missing", m.place(r.Syntax), m.Path(), "%s requires modules, and go.sum does not exist or is empty", m.File))
			break
		}
	}
	return all
}

// empty reports whether a file does not exist or has no content.
func empty(file string) bool {
	info, err := os.Stat(file)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}
