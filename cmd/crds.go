// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// crdsToUse reads the CRDs of the files that the flags name, or else the project's.
func crdsToUse(root string, p *config.Project, files []string) ([]manifest.CRD, error) {
	if len(files) == 0 {
		if p == nil || p.CRDs.Dir == "" {
			return nil, nil
		}
		return manifest.CRDsIn(root, filepath.FromSlash(p.CRDs.Dir))
	}
	var all []manifest.CRD
	for _, f := range files {
		if _, err := os.Stat(f); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("-f %s: %w; name a file or directory with CRDs", f, fs.ErrNotExist)
		}
		crds, err := crdsOf(f)
		if err != nil {
			return nil, err
		}
		all = append(all, crds...)
	}
	return all, nil
}
