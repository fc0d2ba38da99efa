// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"github.com/spf13/pflag"
	applyargs "k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	applies "k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	clientargs "k8s.io/code-generator/cmd/client-gen/args"
	clients "k8s.io/code-generator/cmd/client-gen/generators"
	conversionargs "k8s.io/code-generator/cmd/conversion-gen/args"
	conversions "k8s.io/code-generator/cmd/conversion-gen/generators"
	deepcopyargs "k8s.io/code-generator/cmd/deepcopy-gen/args"
	deepcopies "k8s.io/code-generator/cmd/deepcopy-gen/generators"
	defaulterargs "k8s.io/code-generator/cmd/defaulter-gen/args"
	defaulters "k8s.io/code-generator/cmd/defaulter-gen/generators"
	informerargs "k8s.io/code-generator/cmd/informer-gen/args"
	informers "k8s.io/code-generator/cmd/informer-gen/generators"
	listerargs "k8s.io/code-generator/cmd/lister-gen/args"
	listers "k8s.io/code-generator/cmd/lister-gen/generators"
	lifecycleargs "k8s.io/code-generator/cmd/prerelease-lifecycle-gen/args"
	lifecycles "k8s.io/code-generator/cmd/prerelease-lifecycle-gen/prerelease-lifecycle-generators"
	registerargs "k8s.io/code-generator/cmd/register-gen/args"
	registers "k8s.io/code-generator/cmd/register-gen/generators"
	"k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
)

// bindings has the generators by name. Each parses its flags as upstream's binary does.
var bindings = map[string]func(flags []string) (*binding, error){
	// Those that write next to the types.
	"deepcopy-gen":             helper(deepcopyargs.New, deepcopies.NameSystems, deepcopies.DefaultNameSystem, deepcopies.GetTargets),
	"defaulter-gen":            helper(defaulterargs.New, defaulters.NameSystems, defaulters.DefaultNameSystem, defaulters.GetTargets),
	"conversion-gen":           helper(conversionargs.New, conversions.NameSystems, conversions.DefaultNameSystem, conversions.GetTargets),
	"register-gen":             helper(registerargs.New, registers.NameSystems, registers.DefaultNameSystem, registers.GetTargets),
	"prerelease-lifecycle-gen": helper(lifecycleargs.New, lifecycles.NameSystems, lifecycles.DefaultNameSystem, lifecycles.GetTargets),
	"openapi-gen":              openAPI,
	// Those of a client tree. The second argument of AddFlags is where upstream looks for packages that are named without a base.
	"applyconfiguration-gen": bound(applyargs.New, func(a *applyargs.Args, set *pflag.FlagSet) { a.AddFlags(set, "") },
		func(*applyargs.Args) namer.NameSystems { return applies.NameSystems() }, applies.DefaultNameSystem, applies.GetTargets),
	"client-gen": bound(clientargs.New, func(a *clientargs.Args, set *pflag.FlagSet) { a.AddFlags(set, "") },
		func(a *clientargs.Args) namer.NameSystems { return clients.NameSystems(plurals(a.PluralExceptions)) }, clients.DefaultNameSystem, clients.GetTargets),
	"lister-gen": bound(listerargs.New, (*listerargs.Args).AddFlags,
		func(a *listerargs.Args) namer.NameSystems { return listers.NameSystems(plurals(a.PluralExceptions)) }, listers.DefaultNameSystem, listers.GetTargets),
	"informer-gen": bound(informerargs.New, (*informerargs.Args).AddFlags,
		func(a *informerargs.Args) namer.NameSystems {
			return informers.NameSystems(plurals(a.PluralExceptions))
		}, informers.DefaultNameSystem, informers.GetTargets),
}

var plurals = util.PluralExceptionListToMapOrDie

// arguments are upstream's, of one of its programs.
type arguments interface {
	AddFlags(*pflag.FlagSet)
	Validate() error
}

func helper[A arguments](newArgs func() A, systems func() namer.NameSystems, system func() string, targets func(*generator.Context, A) []generator.Target) func([]string) (*binding, error) {
	return bound(newArgs, A.AddFlags, func(A) namer.NameSystems { return systems() }, system, targets)
}

// bound is what a main function of upstream's does.
func bound[A interface{ Validate() error }](newArgs func() A, add func(A, *pflag.FlagSet), systems func(A) namer.NameSystems, system func() string,
	targets func(*generator.Context, A) []generator.Target,
) func([]string) (*binding, error) {
	return func(flags []string) (*binding, error) {
		a := newArgs()
		if err := parse(flags, func(set *pflag.FlagSet) { add(a, set) }, a.Validate); err != nil {
			return nil, err
		}
		return onePass(systems(a), system(), func(c *generator.Context) []generator.Target { return targets(c, a) }), nil
	}
}
