package codegen

import (
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

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
