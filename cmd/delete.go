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
	return newGroup("delete", "Take a kind, a version or a group out of the project", newDeleteAPI(s, shared))
}

func newDeleteAPI(s ui.Streams, shared *options) *cobra.Command {
	o := deleteOptions{options: shared}
	c := &cobra.Command{
		Use:   "api",
		Short: "Take a kind out of the project, or a version of one, with all that was generated for it",
		Long: `Delete api undoes "create api": types, sample and controller go, and so does everything that was generated for them. A file
that you changed is not removed: it is named, and nothing is written. With --force it goes as well.`,
		Example: `  crdctl delete api --group stable.example.com --kind Report
  crdctl delete api --group stable.example.com --version v1 --kind CronTab`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runDeleteAPI(c.Context(), s, o) },
	}
	kindFlags(c.Flags(), &o.api)
	c.Flags().BoolVar(&o.force, "force", false, "remove files that you changed, too")
	o.register(c.Flags())
	return c
}

func runDeleteAPI(ctx context.Context, s ui.Streams, o deleteOptions) error {
	if err := o.notOfKubebuilder("delete", o.api); err != nil {
		return err
	}
	if o.api.Group == "" || o.api.Kind == "" {
		return errNoKind
	}
	w, err := o.scaffolded(s, &o.changeOptions)
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
		s.Report().Printf("objects of %s.%s that a cluster stores in %s must be stored in another version before the CRD is applied there", api.Plural, api.Group, api.Version)
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
		return nil, ui.UsageErrorf("the project has no %s of %s; it has %s", o.Kind, o.Group, cmp.Or(apiNames(w.after.APIs), "none"))
	}
	if o.Version == "" && len(kinds) > 1 {
		return nil, ui.UsageErrorf("%s of %s has the versions %s; say with --version which is to go", o.Kind, o.Group, strings.Join(versions, ", "))
	}
	api := w.after.Find(o.Group, cmp.Or(o.Version, versions[0]), o.Kind)
	if api == nil {
		return nil, ui.UsageErrorf("%s of %s has no version %s; it has %s", o.Kind, o.Group, o.Version, strings.Join(versions, ", "))
	}
	if api.Controller != "" && len(kinds) > 1 {
		return nil, fmt.Errorf("the controller of %s works with %s; have it work with another version by hand, move \"controller: %s\" in crdctl.yaml to that version, and try again", api.Kind, api.Version, api.Controller)
	}
	w.after.Remove(api)
	if len(w.after.APIs) == 0 {
		return nil, fmt.Errorf("%s %s of %s is the only API of the project, and a project needs one; add another first with \"crdctl create api\", or remove the project's directory",
			api.Version, api.Kind, api.Group)
	}
	return api, nil
}
