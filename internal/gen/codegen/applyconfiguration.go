package codegen

import (
	"k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	"k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	"k8s.io/gengo/v2/generator"
)

// ApplyConfigurations is applyconfiguration-gen for the tree.
func ApplyConfigurations(t ClientTree) (Generator, error) {
	a := args.New()
	a.OutputDir, a.OutputPkg = t.dir(t.ApplyConfigurationName), t.applyConfigurationPackage()
	a.LintRules = t.LintRules
	externals := args.NewExternalApplyConfigurationValue(&a.ExternalApplyConfigurations, nil)
	for _, e := range t.Externals {
		if err := externals.Set(e); err != nil {
			return Generator{}, err
		}
	}
	return Generator{
		Name:          "applyconfiguration-gen",
		Inputs:        t.sortedAPIs(),
		nameSystems:   generators.NameSystems(),
		defaultSystem: generators.DefaultNameSystem(),
		targets:       func(c *generator.Context) []generator.Target { return generators.GetTargets(c, a) },
	}, a.Validate()
}
