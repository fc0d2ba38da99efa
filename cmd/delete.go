// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/ui"
)

type deleteOptions struct {
	*options
	changeOptions
	api   scaffold.APIOptions
	force bool
}

func newDelete(s ui.Streams, shared *options) *cobra.Command {
	return newGroup("delete", "Remove an API or a webhook from the project", newDeleteAPI(s, shared), newDeleteWebhook(s, shared))
}

func newDeleteAPI(s ui.Streams, shared *options) *cobra.Command {
	o := deleteOptions{options: shared}
	c := &cobra.Command{
		Use:   "api",
		Short: "Remove a kind or a version, with the code generated for it",
		Long: `Delete api undoes "create api": it removes the types, the sample, the controller, and everything generated for them. If you
changed one of these files, nothing is removed, and the error names the file; --force removes it too.`,
		Example: `  crdctl delete api --group stable.example.com --kind Report
  crdctl delete api --group stable.example.com --version v1 --kind CronTab`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runDeleteAPI(c.Context(), s, o) },
	}
	kindFlags(c.Flags(), &o.api, "the only one")
	shared.completeAPI(c)
	c.Flags().BoolVar(&o.force, "force", false, "also remove files that you changed")
	o.register(c.Flags())
	return c
}

func runDeleteAPI(ctx context.Context, s ui.Streams, o deleteOptions) error {
	w, err := o.scaffoldOf(s, &o.changeOptions, "delete", o.api)
	if err != nil {
		return err
	}
	api, err := w.remove(o.api)
	if err != nil {
		return err
	}
	if err := w.apply(ctx, s, &o.changeOptions, "delete", []*scaffold.API{api}, o.force); err != nil {
		return err
	}
	if others := w.after.Kinds(api.Group, api.Kind); len(others) > 0 {
		s.Report().Printf("before you apply the CRD to a cluster: objects of %s.%s that are stored there in %s must be migrated to another version", api.Plural, api.Group, api.Version)
	}
	return nil
}

// remove takes an API out of the project that is to be.
func (w *scaffolded) remove(o scaffold.APIOptions) (*scaffold.API, error) {
	kinds := w.after.Kinds(o.Group, o.Kind)
	var versions []string
	for _, a := range kinds {
		versions = append(versions, a.Version)
	}
	if len(kinds) == 0 {
		return nil, ui.UsageErrorf("the project does not have %s of %s; it has %s", o.Kind, o.Group, cmp.Or(apiNames(w.after.APIs), "none"))
	}
	if o.Version == "" && len(kinds) > 1 {
		return nil, ui.UsageErrorf("%s of %s has the versions %s; name the one to remove with --version", o.Kind, o.Group, strings.Join(versions, ", "))
	}
	api := w.after.Find(o.Group, cmp.Or(o.Version, versions[0]), o.Kind)
	if api == nil {
		return nil, ui.UsageErrorf("%s of %s has no version %s; it has %s", o.Kind, o.Group, o.Version, strings.Join(versions, ", "))
	}
	if api.Controller != "" && len(kinds) > 1 {
		return nil, fmt.Errorf("the controller of %s uses %s; change it to use another version, move \"controller: %s\" in crdctl.yaml to that version, and try again", api.Kind, api.Version, api.Controller)
	}
	w.after.Remove(api)
	if len(w.after.APIs) == 0 {
		return nil, fmt.Errorf("%s %s of %s is the only API, and a project needs one; add another with \"crdctl create api\", or delete the project's directory",
			api.Version, api.Kind, api.Group)
	}
	return api, nil
}
