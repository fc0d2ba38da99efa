// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// listedRoots are the roots of a listing as controller-tools' loader would hand them out.
func listedRoots(l *load.Listing) []*loader.Package {
	return host.Wrap(token.NewFileSet(), l.Roots)
}

// wasRead reports whether a generator asked for one of the packages of which there was no more than a name.
func wasRead(unread []*packages.Package) bool { return slices.ContainsFunc(unread, host.Read) }
