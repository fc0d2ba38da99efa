package codegen

import (
	conversionargs "k8s.io/code-generator/cmd/conversion-gen/args"
	conversions "k8s.io/code-generator/cmd/conversion-gen/generators"
	deepcopyargs "k8s.io/code-generator/cmd/deepcopy-gen/args"
	deepcopies "k8s.io/code-generator/cmd/deepcopy-gen/generators"
	defaulterargs "k8s.io/code-generator/cmd/defaulter-gen/args"
	defaulters "k8s.io/code-generator/cmd/defaulter-gen/generators"
	lifecycleargs "k8s.io/code-generator/cmd/prerelease-lifecycle-gen/args"
	lifecycles "k8s.io/code-generator/cmd/prerelease-lifecycle-gen/prerelease-lifecycle-generators"
	registerargs "k8s.io/code-generator/cmd/register-gen/args"
	registers "k8s.io/code-generator/cmd/register-gen/generators"
	"k8s.io/gengo/v2/generator"
)

// The generators that write beside the types.

func deepCopy(flags []string) (*binding, error) {
	a := deepcopyargs.New()
	targets := func(c *generator.Context) []generator.Target { return deepcopies.GetTargets(c, a) }
	return onePass(deepcopies.NameSystems(), deepcopies.DefaultNameSystem(), targets), parse(flags, a.AddFlags, a.Validate)
}

func defaulter(flags []string) (*binding, error) {
	a := defaulterargs.New()
	targets := func(c *generator.Context) []generator.Target { return defaulters.GetTargets(c, a) }
	return onePass(defaulters.NameSystems(), defaulters.DefaultNameSystem(), targets), parse(flags, a.AddFlags, a.Validate)
}

func conversion(flags []string) (*binding, error) {
	a := conversionargs.New()
	targets := func(c *generator.Context) []generator.Target { return conversions.GetTargets(c, a) }
	return onePass(conversions.NameSystems(), conversions.DefaultNameSystem(), targets), parse(flags, a.AddFlags, a.Validate)
}

func register(flags []string) (*binding, error) {
	a := registerargs.New()
	targets := func(c *generator.Context) []generator.Target { return registers.GetTargets(c, a) }
	return onePass(registers.NameSystems(), registers.DefaultNameSystem(), targets), parse(flags, a.AddFlags, a.Validate)
}

func prereleaseLifecycle(flags []string) (*binding, error) {
	a := lifecycleargs.New()
	targets := func(c *generator.Context) []generator.Target { return lifecycles.GetTargets(c, a) }
	return onePass(lifecycles.NameSystems(), lifecycles.DefaultNameSystem(), targets), parse(flags, a.AddFlags, a.Validate)
}
