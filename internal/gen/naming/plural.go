// SPDX-License-Identifier: Apache-2.0

// Package naming has the names that the generators of code-generator give kinds, and those that they expect of directories.
//
// It generates nothing, so that what only asks for a name does not link the generators.
package naming

import (
	"regexp"

	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// VersionDir matches the name of the directory of a group version; kube_codegen.sh makes clients for no others.
var VersionDir = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// GoPlural is the plural that the client generators give a kind in Go names.
func GoPlural(kind string) string {
	return namer.NewPublicPluralNamer(nil).Name(typeOf(kind))
}

// ResourceName is the plural that the client generators give a kind in the paths of the API, where it has no +resourceName
// of its own. The exceptions are Go plurals.
func ResourceName(kind string, exceptions map[string]string) string {
	return namer.NewAllLowercasePluralNamer(exceptions).Name(typeOf(kind))
}

func typeOf(kind string) *types.Type { return &types.Type{Name: types.Name{Name: kind}} }
