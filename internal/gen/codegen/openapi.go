// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	openapiargs "k8s.io/kube-openapi/cmd/openapi-gen/args"
	openapis "k8s.io/kube-openapi/pkg/generators"
)

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
