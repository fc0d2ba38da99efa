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
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
)

// withCRDs is the project. With --crd-dir, the directory itself will do, and only its CRDs count; so where there is nothing to generate, and
// one directory with CRDs, which a note names.
func (o *options) withCRDs(s ui.Streams, dir string) (*located, error) {
	at, err := newSettings(nil).project(o)
	if dir == "" {
		if err == nil {
			return at, nil
		}
		hint, nothing := hintOfNothing(err)
		if !nothing {
			return nil, err
		}
		dirs := o.dirsWithCRDs()
		if len(dirs) != 1 {
			return nil, hintCRDs(err, hint, dirs)
		}
		s.Report().Printf("no generated code that can be compared was found; only the CRDs in %s are read", dirs[0])
		dir = dirs[0]
	}
	base, baseErr := realPath(o.dir)
	if baseErr != nil {
		return nil, fmt.Errorf("%w; give the project's directory with --dir", baseErr)
	}
	if err != nil {
		at = &located{root: base, settings: &config.Project{}}
		if root, p, loadErr := o.project(); loadErr == nil { // its section docs counts all the same
			at = &located{root: root, settings: p}
		}
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

// hintOfNothing is the hint with which an error ends that says that there is nothing to generate, if it is such an error.
func hintOfNothing(err error) (hint string, ok bool) {
	if _, unread := errors.AsType[*detect.NothingError](err); unread {
		return "", true
	}
	if errors.Is(err, detect.ErrNothing) {
		return detect.NothingHint, true
	}
	return noProjectHint, strings.HasSuffix(err.Error(), noProjectHint)
}

// isNothing reports whether an error says that there is nothing to generate.
func isNothing(err error) bool {
	_, nothing := hintOfNothing(err)
	return nothing
}

// hintCRDs names --crd-dir in an error about a directory in which there is nothing to generate, and the directories that it may name: CRDs
// need no more.
func hintCRDs(err error, hint string, dirs []string) error {
	const flag = " with --crd-dir"
	such := ""
	if len(dirs) > 0 {
		such = ": " + text.First(dirs, 3)
	}
	if hint == "" {
		return &hinted{err, err.Error() + "\nfor CRDs alone, name their directory" + flag + such}
	}
	return &hinted{err, strings.TrimSuffix(err.Error(), hint) + "name the directory of the CRDs" + flag + such + "; or set --dir to a project's directory"}
}

// dirsWithCRDs are the directories with CRDs that are not those of tests. They are looked for in repositories only: other directories may be
// large.
func (o *options) dirsWithCRDs() []string {
	base, err := realPath(o.dir)
	if err != nil || !slices.ContainsFunc([]string{".git", "go.mod"}, func(name string) bool { _, err := os.Stat(filepath.Join(base, name)); return err == nil }) {
		return nil
	}
	p, err := project.Open(base, &config.Project{})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(p.WithCRDs(), project.Tests.MatchString)
}

// hinted is an error with another text.
type hinted struct {
	error
	text string
}

func (h *hinted) Error() string { return h.text }

func (h *hinted) Unwrap() error { return h.error }
