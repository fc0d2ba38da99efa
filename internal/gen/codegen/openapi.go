// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"runtime/debug"
	"slices"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	openapiargs "k8s.io/kube-openapi/cmd/openapi-gen/args"
	openapis "k8s.io/kube-openapi/pkg/generators"
)

// OpenAPIVersion is the version of k8s.io/kube-openapi whose openapi-gen is linked in; "" where that is unknown.
func OpenAPIVersion() string { return linked("k8s.io/kube-openapi") }

// GengoVersion is the version of k8s.io/gengo/v2 that is linked in; "" where that is unknown.
func GengoVersion() string { return linked("k8s.io/gengo/v2") }

// linked is the version of a module that is linked in; "" where that is unknown.
func linked(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == module })
	if i < 0 {
		return ""
	}
	return info.Deps[i].Version
}

func openAPI(flags []string) (*binding, error) {
	a := openapiargs.New()
	if err := parse(flags, a.AddFlags, a.Validate); err != nil {
		return nil, err
	}
	boilerplate, err := gengo.GoBoilerplate("", gengo.StdBuildTag, gengo.StdGeneratedBy)
	if err != nil {
		return nil, err
	}
	b := onePass(openapis.NameSystems(), openapis.DefaultNameSystem(), func(c *generator.Context) []generator.Target {
		return openapis.GetOpenAPITargets(c, a, boilerplate)
	})
	if a.OutputModelNameFile != "" {
		b.passes = append(b.passes, func(c *generator.Context) []generator.Target {
			return openapis.GetModelNameTargets(c, a, boilerplate)
		})
	}
	return b, nil
}
