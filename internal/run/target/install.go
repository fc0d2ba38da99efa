// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
)

// InstallCRDs installs CRDs, and reports before what that would break.
func (t *API) InstallCRDs(ctx context.Context, crds []manifest.CRD, reporter ui.Reporter) error {
	if err := t.preflight(ctx, crds, reporter); err != nil {
		return err
	}
	stop := ui.Repeat(ui.WaitEvery/3, ui.WaitEvery, func(passed time.Duration) {
		reporter.Note("waiting for the API server to establish %s (%s)", text.Count(len(crds), "CRD", "CRDs"), passed)
	})
	err := t.Install(ctx, t.Config, manifest.Definitions(crds)...)
	if stop(); err != nil {
		return err
	}
	reporter.Note("installed %s", names(crds))
	return nil
}

func names(crds []manifest.CRD) string {
	var all []string
	for _, c := range crds {
		all = append(all, c.Name)
	}
	return strings.Join(all, ", ")
}
