// SPDX-License-Identifier: Apache-2.0

package project

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
)

// IsGo reports whether a file is Go source, and not of a test.
func IsGo(file string) bool { return path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") }

// GoFiles are the Go files of a directory below the root, without tests, by their names.
func (p *Project) GoFiles(dir string) (map[string][]byte, error) {
	abs := filepath.Join(p.Root, filepath.FromSlash(dir))
	entries, err := os.ReadDir(abs)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !IsGo(e.Name()) {
			continue
		}
		if all[e.Name()], err = safefs.ReadFile(filepath.Join(abs, e.Name()), safefs.MaxFile); err != nil {
			return nil, err
		}
	}
	return all, nil
}
