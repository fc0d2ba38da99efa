// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/ui"
)

func newCreateWebhook(s ui.Streams, shared *options) *cobra.Command {
	o := createOptions{options: shared}
	c := &cobra.Command{
		Use:   "webhook",
		Short: "Add admission webhooks to a kind of the project",
		Long: `Create webhook adds a function that sets the defaults of an object, one that validates it, or both, with tests and manifests. The
controller serves them: "crdctl run" gives it a certificate and has the API server call it. In a cluster, the certificate is
issued by cert-manager. For the conversion between versions, see "crdctl create api --conversion".`,
		Example: `  crdctl create webhook --group stable.example.com --version v1 --kind CronTab --defaulting
  crdctl create webhook --group stable.example.com --version v1 --kind CronTab --defaulting --validation --dry-run`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runCreateWebhook(c.Context(), s, o) },
	}
	kindFlags(c.Flags(), &o.api, "the only one")
	shared.completeAPI(c)
	webhookFlags(c.Flags(), &o.api)
	o.register(c.Flags())
	return c
}

// webhookFlags are the flags that name admission webhooks.
func webhookFlags(f *pflag.FlagSet, o *scaffold.APIOptions) {
	f.BoolVar(&o.Defaulting, "defaulting", false, "webhook that sets the defaults of objects")
	f.BoolVar(&o.Validation, "validation", false, "webhook that validates objects (also --programmatic-validation)")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "programmatic-validation" { // as kubebuilder has it
			name = "validation"
		}
		return pflag.NormalizedName(name)
	})
}

func runCreateWebhook(ctx context.Context, s ui.Streams, o createOptions) error {
	w, err := o.scaffoldOf(s, &o.changeOptions, "create webhook", o.api)
	if err != nil {
		return err
	}
	api, err := w.after.AddWebhooks(o.api)
	if err != nil {
		return ui.UsageError(err)
	}
	if err := w.apply(ctx, s, &o.changeOptions, "add the webhooks of", []*scaffold.API{api}, false); err != nil || o.dryRun {
		return err
	}
	s.Report().Printf("next: write the functions in internal/webhook, then \"crdctl run\"")
	return nil
}
