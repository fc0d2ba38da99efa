package codegen

import (
	informerargs "k8s.io/code-generator/cmd/informer-gen/args"
	informers "k8s.io/code-generator/cmd/informer-gen/generators"
	listerargs "k8s.io/code-generator/cmd/lister-gen/args"
	listers "k8s.io/code-generator/cmd/lister-gen/generators"
	"k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2/generator"
)

// Listers is lister-gen for the tree.
func Listers(t ClientTree) (Generator, error) {
	a := listerargs.New()
	a.OutputDir, a.OutputPkg = t.dir(t.ListersName), t.pkg(t.ListersName)
	a.PluralExceptions = t.PluralExceptions
	a.LintRules = t.LintRules
	return Generator{
		Name:          "lister-gen",
		Inputs:        t.sortedAPIs(),
		nameSystems:   listers.NameSystems(util.PluralExceptionListToMapOrDie(t.PluralExceptions)),
		defaultSystem: listers.DefaultNameSystem(),
		targets:       func(c *generator.Context) []generator.Target { return listers.GetTargets(c, a) },
	}, a.Validate()
}

// Informers is informer-gen for the tree.
func Informers(t ClientTree) (Generator, error) {
	a := informerargs.New()
	a.OutputDir, a.OutputPkg = t.dir(t.InformersName), t.pkg(t.InformersName)
	a.VersionedClientSetPackage = t.pkg(t.ClientsetName + "/" + t.VersionedName)
	a.ListersPackage = t.pkg(t.ListersName)
	a.PluralExceptions = t.PluralExceptions
	a.LintRules = t.LintRules
	return Generator{
		Name:          "informer-gen",
		Inputs:        t.sortedAPIs(),
		nameSystems:   informers.NameSystems(util.PluralExceptionListToMapOrDie(t.PluralExceptions)),
		defaultSystem: informers.DefaultNameSystem(),
		targets:       func(c *generator.Context) []generator.Target { return informers.GetTargets(c, a) },
	}, a.Validate()
}
