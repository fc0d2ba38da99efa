// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"time"
)

// servesAfter is when a controller that was started serves its webhooks. Samples of a version that is new were applied before it did, and the API
// server could not convert them.
const servesAfter = 3 * time.Second

// tryAgain applies what could not be applied before the controller was started. It starts nothing: a controller that ended is left to the next save.
func (d *devLoop) tryAgain(ctx context.Context) {
	d.retry, d.save = nil, nil
	blocking, other := d.steps.update(ctx, d.missed)
	err := errors.Join(blocking, other)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		d.missed.Manifests = nil
	}
	d.tellRefused(err, false, true)
}

// tellRefused reports what of manifests and samples could not be applied: in full unless it was reported before, and no save touched it. With quiet
// no save asked for another try.
func (d *devLoop) tellRefused(err error, touched, quiet bool) {
	if err == nil {
		d.installer.refused = ""
		return
	}
	switch text := err.Error(); {
	case text != d.installer.refused || touched:
		d.installer.refused = text
		d.reporter.Note("%s", text)
	case !quiet:
		d.reporter.Note("manifests or samples have the same errors as before; they are tried again with the next change")
	}
}
