// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"fmt"

	"github.com/spf13/pflag"
	conversionargs "k8s.io/code-generator/cmd/conversion-gen/args"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/namer"
)

// Generator is one of upstream's generators with its command line.
type Generator struct {
	// Name is the name of upstream's binary, which the header of each file bears.
	Name string
	// Flags are upstream's own, without that of the header.
	Flags []string
	// Inputs are the import paths of the packages to read.
	Inputs []string
}

// Known reports whether the generator is linked into this program. validation-gen is not: its package is a main package.
func Known(name string) bool {
	_, ok := bindings[name]
	return ok
}

// binding is what the main function of upstream's binary hands to gengo.
type binding struct {
	nameSystems   namer.NameSystems
	defaultSystem string
	// passes are run one after the other, each on a universe of its own.
	passes []func(*generator.Context) []generator.Target
}

// loadsPackages are the generators that ask for packages beyond their inputs while they run.
var loadsPackages = map[string]bool{"deepcopy-gen": true, "defaulter-gen": true, "conversion-gen": true}

// ConversionPeers are the packages that conversion-gen always asks for.
var ConversionPeers = conversionargs.DefaultBasePeerDirs

// parse lets upstream read its flags.
func parse(flags []string, add func(*pflag.FlagSet), validate func() error) error {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.Usage = func() {}
	add(set)
	if err := set.Parse(flags); err != nil {
		return err
	}
	return validate()
}

func bind(g Generator) (*binding, error) {
	parse, ok := bindings[g.Name]
	if !ok {
		return nil, fmt.Errorf("%s is not one of the generators in this program", g.Name)
	}
	return parse(g.Flags)
}

func onePass(systems namer.NameSystems, defaultSystem string, targets func(*generator.Context) []generator.Target) *binding {
	return &binding{nameSystems: systems, defaultSystem: defaultSystem, passes: []func(*generator.Context) []generator.Target{targets}}
}
