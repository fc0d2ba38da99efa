// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"context"

	"github.com/crdctl/crdctl/internal/ui"
)

// onTerminal gives the run what it has on a terminal only: a margin that tells crdctl's lines from the controller's, and keys. The
// context that it returns ends when the user quits. Without a process of the controller's there is no margin, and what --render previews reads the
// terminal itself.
func (o *runOptions) onTerminal(ctx context.Context, s ui.Streams) (_ context.Context, end func()) {
	if o.Render != "" || !ui.IsTerminal(s.Out) || !ui.IsTerminal(s.Err) {
		return ctx, func() {}
	}
	if !o.NoController && !o.Builtin {
		const own, controller = "crdctl", "controller"
		margin := ui.NewMargin(s.Err, ui.NewPaint(s.Err, o.color), own, controller)
		o.Err, o.Controller = margin.Of(own, ui.Cyan, own+": "), margin.Of(controller, ui.Yellow, "")
	}
	keys := ui.ReadKeys(s.In)
	if keys == nil {
		return ctx, func() {}
	}
	o.interrupts.BeforeExit(keys.Stop)
	ctx, stop := context.WithCancel(ctx)
	pressed := make(chan byte, 1)
	o.Keys = pressed
	reporter := ui.NewReporter(o.Err)
	reporter.Note("press h for keys, q to quit")
	go func() {
		for {
			select {
			case key := <-keys.Pressed:
				switch key {
				case 'q':
					o.interrupts.Quit()
				case 'h', '?':
					reporter.Note("%s", o.KeysHelp())
				default: // one that comes while the one before is obeyed is dropped
					select {
					case pressed <- key:
					default:
					}
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { stop(); keys.Stop() }
}
