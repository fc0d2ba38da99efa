// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// columns finds printer columns that show nothing.
func columns(crd *project.CRD) (all []rule.Finding) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil {
			continue
		}
		for j, column := range v.AdditionalPrinterColumns {
			path := strings.Split(strings.TrimPrefix(column.JSONPath, "."), ".")
			if path[0] == "metadata" || project.Lookup(v.Schema.OpenAPIV3Schema, path) != nil {
				continue
			}
			at := crd.At(v.Name, nil, column.JSONPath)
			if at.File == crd.File {
				at = crd.InManifest("spec", "versions", fmt.Sprint(i), "additionalPrinterColumns", fmt.Sprint(j), "jsonPath")
			}
			all = append(all, rule.New("column-path", at, crd.Subject(v.Name), "the printer column %s shows %s, which the schema does not have", column.Name, column.JSONPath))
		}
	}
	return all
}
