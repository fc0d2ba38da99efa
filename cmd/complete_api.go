// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"maps"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/detect/repo"
)

// namedAPI is a kind in a version, as flags name it.
type namedAPI struct{ group, version, kind string }

// apiParts are the flags that name an API, in the order in which they are given.
var apiParts = []struct {
	flag string
	of   func(namedAPI) string
}{
	{"group", func(a namedAPI) string { return a.group }},
	{"kind", func(a namedAPI) string { return a.kind }},
	{"version", func(a namedAPI) string { return a.version }},
}

// completeAPI has a shell complete the flags of a command that name an API with those of the project, as far as they fit the flags
// that were given before.
func (o *options) completeAPI(c *cobra.Command) {
	for _, part := range apiParts {
		_ = c.RegisterFlagCompletionFunc(part.flag, func(c *cobra.Command, _ []string, _ string) (values []string, _ cobra.ShellCompDirective) {
			for _, a := range o.apis() {
				fits := !slices.Contains(values, part.of(a))
				for _, other := range apiParts {
					// A version is chosen last, and alone does not say which kinds are meant.
					given := c.Flags().Lookup(other.flag)
					fits = fits && (other.flag == part.flag || other.flag == "version" || !given.Changed || given.Value.String() == other.of(a))
				}
				if fits {
					values = append(values, part.of(a))
				}
			}
			return values, cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// apis are the APIs of the project: those of its scaffold, of kubebuilder's, or else those whose types are in its sources.
func (o *options) apis() (all []namedAPI) {
	root, p, err := o.project()
	if err == nil && p.Scaffold != nil {
		for _, a := range p.Scaffold.APIs {
			all = append(all, namedAPI{a.Group, a.Version, a.Kind})
		}
		return all
	}
	if k := kubebuilderAt(o.dir); k != nil && len(k.Resources) > 0 {
		return k.apis()
	}
	if root == "" {
		root, err = realPath(o.dir)
	}
	if err != nil {
		return nil
	}
	r, err := repo.Open(root)
	if err != nil {
		return nil
	}
	kinds := r.KindsByGroup()
	for _, group := range slices.Sorted(maps.Keys(kinds)) {
		for _, dir := range slices.Sorted(maps.Keys(kinds[group])) {
			for _, kind := range slices.Compact(slices.Sorted(slices.Values(kinds[group][dir]))) {
				if repo.Versioned(dir) {
					all = append(all, namedAPI{group, path.Base(dir), kind})
				}
			}
		}
	}
	return all
}
