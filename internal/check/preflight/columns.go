// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/util/jsonpath"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// columns finds printer columns that show nothing, or not what their type says.
func columns(crd *project.CRD) (all []rule.Finding) {
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		for j, column := range v.AdditionalPrinterColumns {
			add := func(id, format string, args ...any) *rule.Finding {
				all = append(all, rule.New(id, ofColumn(crd, v, j), crd.Subject(v.Name), "the printer column %s %s", column.Name, fmt.Sprintf(format, args...)))
				return &all[len(all)-1]
			}
			if !strings.HasPrefix(column.JSONPath, ".") {
				continue // refused
			}
			parsed, err := jsonpath.Parse(column.Name, "{"+column.JSONPath+"}") // as the server does
			if err != nil {
				add("column-path", "has the path %s, which does not parse (%v): the API server then shows no column of the CRD", column.JSONPath, err).Severity = rule.Error
				continue
			}
			shown := evaluate(v.Schema.OpenAPIV3Schema, parsed)
			if shown.problem != "" {
				add("column-path", "shows %s: %s", column.JSONPath, shown.problem)
			} else if shown.schema != nil {
				judgeType(column, shown, add)
			}
		}
	}
	return all
}

// judgeType finds a column whose type is not that of its values.
func judgeType(column apiextv1.CustomResourceColumnDefinition, shown value, add func(id, format string, args ...any) *rule.Finding) {
	is := shown.schema.Type
	if is == "" || shown.schema.XIntOrString {
		return
	}
	switch fits := map[string]string{"integer": "integer number", "number": "integer number", "boolean": "boolean", "date": "string", "string": "string integer number boolean"}[column.Type]; {
	case fits == "", strings.Contains(fits, is): // another type is refused
	case column.Type == "string":
		add("column-type", "shows %s, which has the type %s: it is printed as JSON", column.JSONPath, is).Severity = rule.Note
	default:
		add("column-type", "has the type %s, and %s has the type %s: it stays empty", column.Type, column.JSONPath, is)
	}
}

// ofColumn is the place of a printer column: its marker, by the path and then by the name, or the key in the manifest.
func ofColumn(crd *project.CRD, v *apiextv1.CustomResourceDefinitionVersion, i int) rule.Place {
	column := v.AdditionalPrinterColumns[i]
	for _, value := range []string{column.JSONPath, column.Name} {
		find := func(text string) (int, bool) {
			_, quoted := locateExpression(text, value, 0)
			return 0, strings.HasPrefix(text, "+kubebuilder:printcolumn") && (quoted || value != "" && strings.HasSuffix(text, "="+value) || strings.Contains(text, "="+value+","))
		}
		if place, ok := crd.Marker(v.Name, nil, find); ok {
			return place
		}
	}
	return crd.InManifest("spec", "versions", index(crd, v.Name), "additionalPrinterColumns", strconv.Itoa(i), "jsonPath")
}
