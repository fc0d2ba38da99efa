// SPDX-License-Identifier: Apache-2.0

// Package lint finds where Go API types do not follow the conventions of Kubernetes APIs: with the analyzers of kube-api-linter, with
// its own for what these do not look at, and with crdctl's checks of markers.
//
// It judges Go source alone, generates nothing, and knows neither CRDs nor objects.
package lint

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// Source is the Go source that is judged.
type Source struct {
	Root string // absolute
	// Dirs are the directories of the packages, relative to Root.
	Dirs []string
	// Files are the sources of directories instead of those on disk: by the directory, relative to Root, and the name.
	Files map[string]map[string][]byte
	// Tags are those that the generators of the project read.
	Tags markerlint.Families
	// Refused is set if "crdctl generate" stops at mistakes in tags, which are errors then.
	Refused bool
}

// Result is what was found.
type Result struct {
	Findings []rule.Finding
	// Older are further findings, which an older state of the packages has as well.
	Older []rule.Finding
	// Uncompiled says which declarations do not compile, so that nothing is known of them and of what depends on them; nil if all do.
	Uncompiled error

	dirs []string // of the packages that were judged
}

// Check judges the types that API objects are made of. Of directories that are not in Files, if there are any, nothing is reported.
func Check(ctx context.Context, s Source) (*Result, error) {
	analyzers, err := profile()
	if err != nil {
		return nil, err
	}
	pkgs, uncompiled, err := load(ctx, s)
	if err != nil {
		return nil, err
	}
	found := make([][]rule.Finding, len(pkgs))
	served := reachable(pkgs)
	w := look(pkgs, served)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range pkgs {
		if s.Files != nil && s.Files[p.dir] == nil {
			continue
		}
		group.Go(func() (err error) {
			defer func() {
				if panicked := recover(); panicked != nil {
					err = fmt.Errorf("the rules of lint panicked on %s: %v; please report it", p.dir, panicked)
				}
			}()
			found[i], err = p.judge(analyzers, served)
			found[i] = append(found[i], p.conventions(w)...)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if uncompiled != nil {
		s.Dirs = nil // markers are read from files that parse
		for _, p := range pkgs {
			s.Dirs = append(s.Dirs, p.dir)
		}
	}
	r := &Result{Uncompiled: uncompiled, dirs: s.Dirs}
	if r.Findings, err = markers(s); err != nil {
		return nil, err
	}
	for _, some := range found {
		r.Findings = append(r.Findings, some...)
	}
	return r, nil
}
