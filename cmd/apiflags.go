// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/ui"
)

// firstVersion is the version of a new kind in a project that has none of its group.
const firstVersion = "v1alpha1"

// apiFlags registers the flags that say what an API is: init and "create api" have them all. Version says which one a new kind gets
// without --version.
func apiFlags(c *cobra.Command, o *scaffold.APIOptions, version string) {
	f := c.Flags()
	kindFlags(f, o, version)
	f.StringVar(&o.Plural, "plural", "", "plural `name` of the resource (default: made from the kind)")
	f.StringVar(&o.Singular, "singular", "", "singular `name` of the resource (default: the kind in lower case)")
	f.StringSliceVar(&o.ShortNames, "short-names", nil, "short `names` of the resource")
	f.StringSliceVar(&o.Categories, "categories", nil, "`names` of categories that list the resource, such as all")
	f.StringVar(&o.Scope, "scope", "", "`scope` of the objects: Namespaced or Cluster (default Namespaced)")
	f.StringArrayVar(&o.Fields, "field", nil, "spec or status field, `[status.]NAME:TYPE[:RULE...]` (repeatable)")
	f.StringArrayVar(&o.Owns, "owns", nil, "`kind` of the controller's child objects, such as apps/v1/Deployment (repeatable)")
	_ = c.RegisterFlagCompletionFunc("owns", cobra.FixedCompletions(scaffold.Ownable(), cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.NoStatus, "no-status", false, "omit the status and its subresource")
}

// kindFlags registers the flags that name an API. Version says which one is meant without --version.
func kindFlags(f *pflag.FlagSet, o *scaffold.APIOptions, version string) {
	f.StringVar(&o.Group, "group", "", "API group, a `domain` name such as stable.example.com (required)")
	f.StringVar(&o.Version, "version", "", "API `version`, such as v1 or v1beta2 (default: "+version+")")
	f.StringVar(&o.Kind, "kind", "", "`kind` of the objects, such as CronTab (required)")
}

// errNoKind is the error of a command that is not told which API it is about.
var errNoKind = ui.UsageErrorf("--group and --kind are required, for example --group stable.example.com --kind CronTab")
