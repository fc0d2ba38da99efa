// SPDX-License-Identifier: Apache-2.0

package host

import (
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// typed reports whether a generator needs types. Engines of versions before v0.4.0 have another file instead of this one.
func typed(g genall.Generator) bool {
	_, needs := g.(genall.NeedsTypeChecking)
	return needs
}

// filters say which references to other packages are followed for the generators.
func filters(gens []genall.Generator) (all []loader.NodeFilter) {
	for _, g := range gens {
		if g, needs := g.(genall.NeedsTypeChecking); needs {
			all = append(all, g.CheckFilter())
		}
	}
	return all
}

func checker(gens []genall.Generator) *loader.TypeChecker {
	return &loader.TypeChecker{NodeFilters: filters(gens)}
}
