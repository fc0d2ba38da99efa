// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/config"
)

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Preflight, 1, func(t *testing.T, example []rule.Block) []rule.Finding {
		found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, example[0].Text)})
		require.NoError(t, err)
		return found
	})
}

// One bound that refuses several values of an enum is one finding, and so is one type. Where no value is possible it is an error; a value that is there
// twice is none.
func TestEnumOneCause(t *testing.T) {
	found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, `properties:
  policy: {type: string, pattern: "^[a-z]+$", maxLength: 7, enum: [Always, Never, one, two-three, four-five]}
  size: {type: integer, enum: [1, x, z]}
  speed: {type: string, pattern: "^x", enum: [fast, fast]}
`)})
	require.NoError(t, err)
	var lines []string
	for _, f := range found {
		lines = append(lines, f.Severity.String()+" "+f.Rule.ID+": "+f.Message)
	}
	require.Equal(t, []string{
		`warning enum-vs-pattern: of the enum, the values "Always", "Never" are refused: the pattern is ^[a-z]+$`,
		`warning enum-vs-pattern: of the enum, the values "two-three", "four-five" are refused: maxLength is 7`,
		`warning enum-type: of the enum, the values "x", "z" are not of the type integer`,
		"warning enum-type: the enum has the value \"fast\" twice",
		`error enum-vs-pattern: of the enum, the value "fast" is refused: the pattern is ^x`,
	}, lines)
}

// Annotations that the API server refuses for their size are one finding, whatever the size of the CRD; another error of them has a rule of its own.
func TestAnnotationsTooLarge(t *testing.T) {
	lines := func(name string, size int) (lines []string) {
		found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, "metadata: {annotations: {"+name+": "+strings.Repeat("a", size)+"}}")})
		require.NoError(t, err)
		for _, f := range found {
			lines = append(lines, f.Severity.String()+": "+f.Rule.ID+": "+f.Message)
		}
		return lines
	}
	refused := []string{"error: apply-size: the annotations have more than 256 KiB, which the API server refuses"}
	require.Equal(t, refused, lines("big", 256<<10))
	require.Equal(t, refused, lines("big", 2<<20))
	require.Equal(t, []string{`warning: apply-size: the CRD has more than 256 KiB: "kubectl apply" without --server-side is refused`}, lines("big", 256<<10-3))
	wrong := lines("a/b/c", 256<<10)
	require.Len(t, wrong, 2)
	require.Equal(t, refused[0], wrong[0])
	require.Contains(t, wrong[1], "error: refused-group: metadata.annotations")
}

// Crossplane completes the conversion webhooks of a package, and what tests install is theirs; a directory that a generator writes to is the project's.
func TestInstalledByOthers(t *testing.T) {
	const manifest = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  names:
    kind: CronTab
    listKind: CronTabList
    plural: crontabs
    singular: crontab
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {path: /convert}}}}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`
	const types = "// +groupName=stable.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype CronTab struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n}\n"
	found := func(file, dir, more string) (all []string) {
		root := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/a\n", file: manifest, "api/v1/types.go": types, more: "kind: Provider\n"} {
			name = filepath.Join(root, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		}
		p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: dir}})
		require.NoError(t, err)
		require.Len(t, p.CRDs, 1)
		all = []string{}
		problems, err := preflight.Check(t.Context(), p.CRDs)
		require.NoError(t, err)
		for _, f := range problems {
			all = append(all, f.Severity.String()+" "+f.Rule.ID)
		}
		return all
	}
	refused, note := []string{"error refused-conversion", "error refused-conversion"}, []string{"note refused-conversion", "note refused-conversion"}
	require.Equal(t, refused, found("package/crds/a.yaml", "package/crds", "package/other.yaml"))
	require.Empty(t, found("package/crds/a.yaml", "package/crds", "package/crossplane.yaml"))
	require.Equal(t, note, found("test/crds/a.yaml", "config/crd", "a.yaml"))
	require.Equal(t, refused, found("test/crds/a.yaml", "test/crds", "a.yaml"))
}

// One cause is one finding, and its message says what it is.
func TestOneCause(t *testing.T) {
	spec := func(keys string) string {
		return "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {properties: {a: {" + keys + "}}}}}}}]}"
	}
	for text, want := range map[string][]string{
		"spec: {preserveUnknownFields: true}": {"refused-schema: spec.preserveUnknownFields: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"},
		"spec: {versions: [{name: V1}]}": {"refused-version: name \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end " +
			"with an alphanumeric character"},
		spec("type: int"): {`refused-schema: type "int": supported values: "array", "boolean", "integer", "number", "object", "string"`},
		"spec: {versions: [{schema: {openAPIV3Schema: {type: objct}}}]}": {`refused-schema: type "objct": must be object at the root`},
		"spec: {versions: [{subresources: {status: {}}, schema: {openAPIV3Schema: {type: objct, properties: {spec: {type: objct}, status: {type: objct}}}}}]}": {
			`refused-schema: type "objct": must be object at the root`,
			`refused-schema: type "objct": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`refused-schema: type "objct": supported values: "array", "boolean", "integer", "number", "object", "string"`},
		spec("type: 'null'"): {"refused-schema: type: type cannot be set to null, use nullable as an alternative"},
		spec("type: string, x-kubernetes-validations: [{rule: \"self == 'a'\", messageExpression: ' '}]"): {
			"refused-cel: x-kubernetes-validations[0].messageExpression: messageExpression must be non-empty if specified"},
		spec("type: integer, default: 123456789012345678901234567890"): {`refused-default: the default is not valid: must be of type integer: "number"`},
		spec("type: integer, format: int32, default: 3000000000"):      {`refused-default: the default is not valid: must be of type integer with format int32`},
		spec("type: integer, format: int32, maximum: 4294967295, default: 1"): {
			`refused-default: the default is not valid: Maximum boundary value must be of type integer with format int32`},
		spec("type: string, allOf: [{default: a}]"):                   {"refused-schema: default: must be undefined to be structural"},
		spec("oneOf: [{type: string}, {type: integer}]"):              {"refused-schema: type: must be next to oneOf, not in it"},
		spec("type: string, oneOf: [{type: string}, {maxLength: 1}]"): {"refused-schema: type: must be empty to be structural"},
		spec("anyOf: [{maxLength: 1}]"):                               {"refused-schema: type: must not be empty for specified object fields"},
		spec("type: string, maxLength: 1, default: A1"):               {"refused-default: the default is not valid: may not be more than 1 byte"},
	} {
		found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, text)})
		require.NoError(t, err)
		var lines []string
		for _, f := range found {
			lines = append(lines, f.Rule.ID+": "+f.Message)
		}
		require.ElementsMatch(t, want, lines, text)
	}
}

// The advice on what stands in the marker of a resource fits the scope, too.
func TestScope(t *testing.T) {
	found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, "spec: {scope: namespaced}")})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, `spec.scope "namespaced": supported values: "Cluster", "Namespaced"`, found[0].Message)
	require.Contains(t, found[0].Rule.Manifest, "scope")
}

// A field without a type is refused for that, and not also since rules cannot read it. Another one of the same name counts for nothing.
func TestFieldsWithoutType(t *testing.T) {
	const noType = "refused-schema: type: must not be empty for specified object fields"
	for text, want := range map[string][]string{
		"properties: {a: {}}\nx-kubernetes-validations: [{rule: self.a == 'a'}]":                                           {noType},
		"properties: {a: {}}\nx-kubernetes-validations: [{rule: self.b == 'a', messageExpression: self.a}]":                {noType, "refused-cel: the rule \"self.b == 'a'\" does not compile: undefined field 'b'"},
		"properties: {deep: {type: object, properties: {a: {}}}}\nx-kubernetes-validations: [{rule: self.a == 'a'}]":       {noType, "refused-cel: the rule \"self.a == 'a'\" does not compile: undefined field 'a'"},
		"properties: {deep: {type: object, properties: {a: {}}}}\nx-kubernetes-validations: [{rule: self.deep.a == 'a'}]":  {noType},
		"properties: {deep: {properties: {a: {type: string}}}}\nx-kubernetes-validations: [{rule: self.deep.b == 'a'}]":    {noType},
		"properties: {l: {type: array, items: {}}}\nx-kubernetes-validations: [{rule: self.l.size() > 0}]":                 {"refused-schema: type: must not be empty for specified array items"},
		"properties: {p: {x-kubernetes-preserve-unknown-fields: true}}\nx-kubernetes-validations: [{rule: self.p == 'a'}]": {"refused-cel: the rule \"self.p == 'a'\" does not compile: undefined field 'p'"},
		"properties: {a: {}, b: {type: string}}\nx-kubernetes-validations: [{rule: self.a == 'a' && self.b == 'b'}]":       {noType},
	} {
		found, err := preflight.Check(t.Context(), []*project.CRD{checktest.CRD(t, text)})
		require.NoError(t, err)
		var lines []string
		for _, f := range found {
			if f.Severity == rule.Error {
				lines = append(lines, f.Rule.ID+": "+f.Message)
			}
		}
		require.ElementsMatch(t, want, lines, text)
	}
}
