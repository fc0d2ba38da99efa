// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/ui"
)

// withCRDs is the project; with --crd-dir, the directory itself will do, and only its CRDs count.
func (o *options) withCRDs(dir string) (*located, error) {
	at, err := newSettings(nil).project(o)
	if dir == "" {
		return at, hintCRDs(err)
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
	if _, err := os.Stat(filepath.Join(at.root, filepath.FromSlash(rel))); errors.Is(err, fs.ErrNotExist) {
		return nil, ui.UsageErrorf("--crd-dir %s: %w; name a directory of CRDs", dir, fs.ErrNotExist)
	} else if err != nil {
		return nil, ui.UsageErrorf("--crd-dir %s: %w; name a directory of CRDs", dir, errors.Unwrap(err))
	}
	at.settings = &config.Project{CRDs: config.CRDs{Dir: rel}, Docs: at.settings.Docs}
	return at, nil
}

// hintCRDs names --crd-dir in an error about a directory in which there is nothing to generate: CRDs need no more.
func hintCRDs(err error) error {
	for _, hint := range []string{detect.NothingHint, noProjectHint} {
		if err != nil && strings.HasSuffix(err.Error(), hint) {
			return &hinted{err, strings.TrimSuffix(err.Error(), hint) + "name the directory of the CRDs with --crd-dir, or set --dir to a project's directory"}
		}
	}
	return err
}

// hinted is an error with another text.
type hinted struct {
	error
	text string
}

func (h *hinted) Error() string { return h.text }

func (h *hinted) Unwrap() error { return h.error }
