// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/ui"
)

// withCRDs is the project; with --crd-dir, the directory itself will do, and only its CRDs count.
func (o *options) withCRDs(dir string) (*located, error) {
	at, err := newSettings(nil).project(o)
	if dir == "" {
		return at, o.hintCRDs(err)
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
func (o *options) hintCRDs(err error) error {
	nothing, unread := errors.AsType[*detect.NothingError](err)
	hint := noProjectHint
	if errors.Is(err, detect.ErrNothing) {
		hint = detect.NothingHint
	}
	switch {
	case unread:
		if such := o.suchCRDs(); such != "" {
			return &hinted{err, nothing.Error() + "\nfor CRDs alone, name their directory with --crd-dir" + such}
		}
	case err != nil && strings.HasSuffix(err.Error(), hint):
		return &hinted{err, strings.TrimSuffix(err.Error(), hint) + "name the directory of the CRDs with --crd-dir" + o.suchCRDs() + ", or set --dir to a project's directory"}
	}
	return err
}

// suchCRDs is a directory of CRDs as an example. It is looked for in repositories only: other directories may be large.
func (o *options) suchCRDs() string {
	base, err := realPath(o.dir)
	if err != nil || !slices.ContainsFunc([]string{".git", "go.mod"}, func(name string) bool { _, err := os.Stat(filepath.Join(base, name)); return err == nil }) {
		return ""
	}
	p, err := project.Open(base, &config.Project{})
	if err != nil {
		return ""
	}
	if dirs := p.WithCRDs(); len(dirs) > 0 {
		return ", such as " + dirs[0]
	}
	return ""
}

// hinted is an error with another text.
type hinted struct {
	error
	text string
}

func (h *hinted) Error() string { return h.text }

func (h *hinted) Unwrap() error { return h.error }
