// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen

package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/ui"
)

// ownProject loads the project that --dir is in, unless another user owns it.
func (o *options) ownProject() (root string, p *config.Project, err error) {
	if root, err = o.root(); err == nil {
		if err = config.CheckOwner(root); err == nil {
			p, err = config.Load(root)
		}
	}
	return root, p, err
}

// noCRDs is the error of a run of the built-in controller that has nothing to work on.
func noCRDs(err error) error {
	return fmt.Errorf("%w; or name CRDs with -f, or CRDs of the cluster with --crd", err)
}

// streams hands the streams of the command on to a run.
func (o *options) streams(b *builtin.Options, s ui.Streams) {
	b.Debug, b.Color, b.In, b.Out, b.Err = o.verbosity > 0, bool(ui.NewPaint(s.Err, o.color)), s.In, s.Out, s.Err
}

// with puts what the flags and the section loop of the project say into the options of the run; dir is --dir.
func (f *builtinFlags) with(p *config.Project, dir string) error {
	base, err := realPath(dir)
	if err != nil {
		return err
	}
	var settings config.Loop
	if p != nil {
		settings = p.Loop
	}
	return f.apply(settings, base)
}

// untilClosed runs a function until its context ends, which it also does when standard output is closed.
func untilClosed(ctx context.Context, run func(context.Context) error) error {
	ctx, stop := ui.OutlivePipe(ctx)
	defer stop()
	err := run(ctx)
	if errors.Is(context.Cause(ctx), ui.ErrOutputClosed) {
		err = errors.Join(ui.ErrOutputClosed, err)
	}
	return err
}
