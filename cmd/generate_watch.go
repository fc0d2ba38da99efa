// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/gen/calls"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

// watching is "generate --watch": a round of generate now, and one after each change that can make a difference.
type watching struct {
	*generateOptions
	s ui.Streams

	root    string
	headers []string // files that the watcher follows, other than the settings
	dirs    []string // whose sources make a difference
	watcher *fswatch.Watcher
	wrote   map[string][]byte // by the last round that wrote: what is there now is not new; nil for what it removed
}

// watchGenerate generates until the context ends, which is not an error. Neither is a round that fails: it is reported, and the
// next change may fix it.
func watchGenerate(ctx context.Context, s ui.Streams, o *generateOptions) error {
	w := &watching{generateOptions: o, s: s}
	defer w.close()
	for {
		if err := w.round(ctx); ctx.Err() != nil {
			return nil
		} else if w.watcher == nil {
			return err // there is nothing to wait for
		} else if err != nil {
			s.Report().Error(err)
		}
		s.Report().Note("waiting for a change; stop with Ctrl-C")
		if err := w.wait(ctx); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// round generates once. The watcher is made before anything is read, so that no change falls between the two.
func (w *watching) round(ctx context.Context) error {
	at, err := w.settings.project(w.options)
	if at == nil {
		return err
	}
	root, p := at.root, at.settings
	if watchErr := w.follow(root, p); watchErr != nil || err != nil {
		return errors.Join(err, watchErr)
	}
	g, err := generateOnce(ctx, w.s, w.generateOptions)
	if err != nil || w.dryRun {
		return err
	}
	w.wrote = map[string][]byte{}
	for _, c := range g.changes {
		w.wrote[c.Path] = nil
		if c.Op != tree.Delete {
			w.wrote[c.Path] = c.New
		}
	}
	return nil
}

// follow watches what the settings name: the sources of the API packages, those below the paths of controller-gen's calls, and the
// client trees, since what is written by hand there changes what is generated next to it. Settings that cannot be read leave it as it
// was; at first, it is the project file alone. A watcher that follows the right files is kept: it has what changed since the settings
// were read.
func (w *watching) follow(root string, p *config.Project) error {
	headers := w.headers
	if p != nil {
		w.dirs = slices.Clone(p.APIs)
		for _, c := range p.Clients {
			w.dirs = append(w.dirs, c.Dir)
		}
		headers = slices.DeleteFunc(slices.AppendSeq([]string{p.Boilerplate, p.HelperBoilerplate}, maps.Values(p.Boilerplates)), func(file string) bool { return file == "" })
		for i := range p.ControllerGen.Calls {
			dirs, files := calls.Reads(&p.ControllerGen.Calls[i])
			w.dirs, headers = append(w.dirs, dirs...), append(headers, files...)
		}
	}
	if w.watcher != nil && slices.Equal(headers, w.headers) {
		return nil
	}
	watcher, err := fswatch.New(root, nil, append([]string{config.FileName}, headers...)...)
	if err != nil {
		return err
	}
	w.close()
	w.watcher, w.root, w.headers = watcher, root, headers
	return nil
}

// wait returns when something changed that can make a difference, or the context ended, or there can be no news any more.
func (w *watching) wait(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.watcher.Errors:
			return err
		case c := <-w.watcher.Changes:
			c.Sources = slices.DeleteFunc(c.Sources, w.isOwn)
			if c.Settings || c.In(w.dirs) || slices.ContainsFunc(c.Sources, func(file string) bool { return path.Base(file) == "go.mod" }) {
				return nil
			}
		}
	}
}

// isOwn reports whether a file that changed is as the last round left it.
func (w *watching) isOwn(file string) bool {
	want, ours := w.wrote[file]
	if !ours {
		return false
	}
	have, err := safefs.ReadFile(filepath.Join(w.root, filepath.FromSlash(file)), safefs.MaxFile)
	if want == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && bytes.Equal(have, want)
}

func (w *watching) close() {
	if w.watcher != nil {
		w.watcher.Close()
	}
}
