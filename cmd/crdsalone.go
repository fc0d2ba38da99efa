// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/ui"
)

// withCRDs is the project; with --crd-dir, the directory itself will do, and only its CRDs count.
func (o *options) withCRDs(dir string) (*located, error) {
	at, err := newSettings(nil).project(o)
	if dir == "" {
		return at, err
	}
	base, baseErr := realPath(o.dir)
	if baseErr != nil {
		return nil, fmt.Errorf("%w; give the project's directory with --dir", baseErr)
	}
	if err != nil {
		at = &located{root: base, settings: &config.Project{}}
	}
	rel := relativeTo(at.root, base, dir)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return nil, ui.UsageErrorf("--crd-dir %s is not below the directory %s; name one above both with --dir", dir, at.root)
	}
	if _, err := os.Stat(filepath.Join(at.root, filepath.FromSlash(rel))); err != nil {
		return nil, ui.UsageErrorf("--crd-dir: %w", err)
	}
	at.settings = &config.Project{CRDs: config.CRDs{Dir: rel}, Docs: at.settings.Docs}
	return at, nil
}
