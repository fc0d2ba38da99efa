// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// KeysHelp lists the keys of a run on a terminal. The caller of Run handles q and h.
func (o *Options) KeysHelp() string {
	if o.Builtin {
		return "keys: q quits, h prints this"
	}
	if o.NoController {
		return "keys: a applies the samples, q quits, h prints this"
	}
	return "keys: r rebuilds and restarts the controller, a applies the samples, q quits, h prints this"
}

// press does what a key asks for.
func (d *devLoop) press(ctx context.Context, key byte) error {
	switch key {
	case 'r':
		if d.NoController {
			return nil
		}
		d.restart = true
		return d.rebuild(ctx)
	case 'a':
		if err := d.steps.samples(ctx); err != nil {
			d.reporter.Note("%v", err)
		}
	}
	return nil
}

// samples applies the samples because the user asks for it.
func (d *devLoop) samples(ctx context.Context) error {
	samples := d.Project.Controller.Samples
	switch {
	case len(samples) == 0:
		return errors.New("no samples: crdctl.yaml names none as controller.samples")
	case d.installer.applier == nil:
		return errors.New("the samples are not applied: this cluster is not crdctl's own")
	}
	if err := d.installer.applySamples(ctx); err != nil {
		if text := err.Error(); strings.Contains(text, "failed calling webhook") && strings.Contains(text, "connection refused") {
			return fmt.Errorf("%w; the controller does not serve its webhooks yet: press a again when it does", err)
		}
		return err
	}
	d.reporter.Note("applied the samples in %s", strings.Join(samples, ", "))
	return nil
}
