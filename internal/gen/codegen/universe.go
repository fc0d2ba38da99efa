package codegen

import (
	"maps"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
)

// context is what gengo would make for the generator in a process of its own. gengo can build the universe of types
// only once from what it parsed, so each generator gets a copy, to which it may add without the next one seeing it.
func (p *Packages) context(g Generator) *generator.Context {
	c := *p.base // keeps gengo's own parser in it
	c.Universe = clone(p.base.Universe)
	c.Namers = maps.Clone(g.nameSystems)
	orderer := namer.Orderer{Namer: g.nameSystems[g.defaultSystem]}
	c.Order = orderer.OrderUniverse(c.Universe)
	// All generators' packages were loaded; this one is to see its own.
	c.Inputs = g.Inputs
	return &c
}

// clone copies the maps of a universe. The types in it are shared: generators add types, but change none.
func clone(u types.Universe) types.Universe {
	out := make(types.Universe, len(u))
	for path, pkg := range u {
		p := *pkg
		p.Types = maps.Clone(pkg.Types)
		p.Functions = maps.Clone(pkg.Functions)
		p.Variables = maps.Clone(pkg.Variables)
		p.Constants = maps.Clone(pkg.Constants)
		p.Imports = maps.Clone(pkg.Imports)
		out[path] = &p
	}
	return out
}
