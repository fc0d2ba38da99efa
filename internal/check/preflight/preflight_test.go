// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
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

// One cause is one finding, and its message says what it is.
func TestOneCause(t *testing.T) {
	spec := func(keys string) string {
		return "spec: {versions: [{schema: {openAPIV3Schema: {properties: {spec: {properties: {a: {" + keys + "}}}}}}}]}"
	}
	for text, want := range map[string][]string{
		"spec: {preserveUnknownFields: true}": {"refused-schema: spec.preserveUnknownFields: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"},
		"spec: {versions: [{name: V1}]}": {"refused-version: name \"V1\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end " +
			"with an alphanumeric character"},
		spec("type: 'null'"): {"refused-schema: type: type cannot be set to null, use nullable as an alternative"},
		spec("type: string, x-kubernetes-validations: [{rule: \"self == 'a'\", messageExpression: ' '}]"): {
			"refused-cel: x-kubernetes-validations[0].messageExpression: messageExpression must be non-empty if specified"},
		spec("type: integer, default: 123456789012345678901234567890"): {`refused-default: the default is not valid: must be of type integer: "number"`},
		spec("type: integer, format: int32, default: 3000000000"):      {`refused-default: the default is not valid: must be of type integer with format int32`},
		spec("type: string, allOf: [{default: a}]"):                    {"refused-schema: default: must be undefined to be structural"},
		spec("type: string, maxLength: 1, default: A1"):                {"refused-default: the default is not valid: may not be more than 1 byte"},
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
