package codegen

import (
	"k8s.io/code-generator/cmd/deepcopy-gen/args"
	"k8s.io/code-generator/cmd/deepcopy-gen/generators"
	"k8s.io/gengo/v2/generator"
)

// DeepCopyFile is the name of the file that deepcopy-gen writes into each package.
const DeepCopyFile = "zz_generated.deepcopy.go"

// DeepCopy is deepcopy-gen for the packages.
func DeepCopy(inputs, lintRules []string) Generator {
	a := args.New()
	a.OutputFile = DeepCopyFile
	a.LintRules = lintRules
	return Generator{
		Name:          "deepcopy-gen",
		Inputs:        inputs,
		nameSystems:   generators.NameSystems(),
		defaultSystem: generators.DefaultNameSystem(),
		targets:       func(c *generator.Context) []generator.Target { return generators.GetTargets(c, a) },
	}
}
