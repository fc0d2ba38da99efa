// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/ui"
)

func newDeleteWebhook(s ui.Streams, shared *options) *cobra.Command {
	o := deleteOptions{options: shared}
	c := &cobra.Command{
		Use:   "webhook",
		Short: "Remove admission webhooks of a kind",
		Long: `Delete webhook undoes "create webhook": it removes the functions, their tests and the manifests. Without --defaulting and
--validation it removes all admission webhooks of the kind. If you changed one of these files, nothing is removed, and the error
names the file; --force removes it too.`,
		Example: `  crdctl delete webhook --group stable.example.com --kind CronTab
  crdctl delete webhook --group stable.example.com --version v1 --kind CronTab --validation --dry-run`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runDeleteWebhook(c.Context(), s, o) },
	}
	kindFlags(c.Flags(), &o.api, "the one with webhooks")
	shared.completeAPI(c)
	webhookFlags(c.Flags(), &o.api)
	c.Flags().BoolVar(&o.force, "force", false, "also remove files that you changed")
	o.register(c.Flags())
	return c
}

func runDeleteWebhook(ctx context.Context, s ui.Streams, o deleteOptions) error {
	w, err := o.scaffoldOf(s, &o.changeOptions, "delete webhook", o.api)
	if err != nil {
		return err
	}
	api, err := w.after.RemoveWebhooks(o.api)
	if err != nil {
		return ui.UsageError(err)
	}
	return w.apply(ctx, s, &o.changeOptions, "delete webhooks of", []*scaffold.API{api}, o.force)
}
