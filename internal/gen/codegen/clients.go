package codegen

import (
	"github.com/spf13/pflag"
	applyargs "k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	applies "k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	clientargs "k8s.io/code-generator/cmd/client-gen/args"
	clients "k8s.io/code-generator/cmd/client-gen/generators"
	informerargs "k8s.io/code-generator/cmd/informer-gen/args"
	informers "k8s.io/code-generator/cmd/informer-gen/generators"
	listerargs "k8s.io/code-generator/cmd/lister-gen/args"
	listers "k8s.io/code-generator/cmd/lister-gen/generators"
	"k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2/generator"
)

// The generators of a client tree.

func applyConfiguration(flags []string) (*binding, error) {
	a := applyargs.New()
	add := func(set *pflag.FlagSet) { a.AddFlags(set, "") } // upstream makes no use of the second argument
	targets := func(c *generator.Context) []generator.Target { return applies.GetTargets(c, a) }
	return onePass(applies.NameSystems(), applies.DefaultNameSystem(), targets), parse(flags, add, a.Validate)
}

func client(flags []string) (*binding, error) {
	a := clientargs.New()
	// The second argument is where upstream looks for packages that are named without a base.
	if err := parse(flags, func(set *pflag.FlagSet) { a.AddFlags(set, "") }, a.Validate); err != nil {
		return nil, err
	}
	targets := func(c *generator.Context) []generator.Target { return clients.GetTargets(c, a) }
	return onePass(clients.NameSystems(util.PluralExceptionListToMapOrDie(a.PluralExceptions)), clients.DefaultNameSystem(), targets), nil
}

func lister(flags []string) (*binding, error) {
	a := listerargs.New()
	if err := parse(flags, a.AddFlags, a.Validate); err != nil {
		return nil, err
	}
	targets := func(c *generator.Context) []generator.Target { return listers.GetTargets(c, a) }
	return onePass(listers.NameSystems(util.PluralExceptionListToMapOrDie(a.PluralExceptions)), listers.DefaultNameSystem(), targets), nil
}

func informer(flags []string) (*binding, error) {
	a := informerargs.New()
	if err := parse(flags, a.AddFlags, a.Validate); err != nil {
		return nil, err
	}
	targets := func(c *generator.Context) []generator.Target { return informers.GetTargets(c, a) }
	return onePass(informers.NameSystems(util.PluralExceptionListToMapOrDie(a.PluralExceptions)), informers.DefaultNameSystem(), targets), nil
}
