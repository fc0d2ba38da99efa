// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// inOrder sorts the packages of a pattern as "go list -deps" prints them, each after those that it imports: controller-tools' loader
// keeps that order, and before v0.20 the webhooks of a configuration are in it. Of the files that several packages write to one output package
// of apply configurations, those of the last stay. Other generators sort what they write.
func (r *runner) inOrder(ctx context.Context, c *call, all []*pkg) error {
	n := 0
	for _, p := range all {
		if p.webhook && slices.Contains(c.names, "webhook") || p.apply && slices.Contains(c.names, "applyconfiguration") {
			n++
		}
	}
	if n < 2 {
		return nil
	}
	var listed []*packages.Package
	env, err := r.listings.env(ctx, c, all[0].module)
	if err == nil {
		var listing *load.Listing
		if listing, err = load.ListAlone(ctx, env, paths(all)); err == nil {
			listed = listing.Roots
		}
	}
	if err != nil {
		if listed, err = r.goCommand(ctx, c, all[0].module, all); err != nil {
			return fmt.Errorf("order the packages: %w", err)
		}
	}
	place := map[string]int{}
	done := 0
	var visit func(*packages.Package)
	visit = func(p *packages.Package) {
		if _, ok := place[p.PkgPath]; ok {
			return
		}
		place[p.PkgPath] = -1 // in a ring, which other parts of a run report
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			visit(p.Imports[path])
		}
		done++
		place[p.PkgPath] = done
	}
	byPath := map[string]*packages.Package{}
	for _, p := range listed {
		byPath[p.PkgPath] = p
	}
	for _, p := range all { // as the pattern matches them
		if raw := byPath[p.path]; raw != nil {
			visit(raw)
		}
	}
	slices.SortStableFunc(all, func(a, b *pkg) int { return place[a.path] - place[b.path] })
	return nil
}
