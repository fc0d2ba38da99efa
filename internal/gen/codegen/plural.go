package codegen

import (
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// GoPlural is the plural that the client generators give a kind in Go names.
func GoPlural(kind string) string {
	return namer.NewPublicPluralNamer(nil).Name(&types.Type{Name: types.Name{Name: kind}})
}
