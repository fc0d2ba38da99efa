// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"errors"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"
)

// code is what openapi-gen writes for the types, whether they ask for it or not.
func (m *models) code() (code []byte, err error) {
	b, err := bind(Generator{Name: "openapi-gen", Flags: []string{"--output-dir", "schema", "--output-pkg", schemaPackage, "--output-file", "schema.go"}})
	if err != nil {
		return nil, err
	}
	targets := func(c *generator.Context) (all []generator.Target) {
		for _, t := range b.passes[0](c) {
			all = append(all, schemaTarget{t})
		}
		return all
	}
	err = execute(m.context, targets, "openapi-gen", Header{}, nil, func(f File) { code = f.Content })
	if err != nil {
		return nil, m.refused(err)
	}
	if code == nil {
		return nil, errors.New("openapi-gen wrote nothing")
	}
	return code, nil
}

// schemaPackage is the import path of the code that openapi-gen writes to be read here.
const schemaPackage = "crdctl.dev/schema"

// schemaTarget is openapi-gen's target for all types that it is given, without its report.
type schemaTarget struct{ generator.Target }

func (t schemaTarget) Filter(*generator.Context, *types.Type) bool { return true }

func (t schemaTarget) Generators(c *generator.Context) []generator.Generator {
	return t.Target.Generators(c)[:1]
}
