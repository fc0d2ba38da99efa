// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

const manifest = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "crontabs.stable.example.com"}, "spec": {"group": "stable.example.com",
"scope": "Namespaced", "names": {"kind": "CronTab", "listKind": "CronTabList", "plural": "crontabs", "singular": "crontab"}, "versions": [{"name": "v1", "served": true, "storage": true,
"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": COLUMN}],
"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SCHEMA}}}}]}}`

func judge(t *testing.T, text string) []rule.Finding {
	crds, err := project.Parse("crd.yaml", []byte(text))
	if err != nil {
		return nil
	}
	found, err := preflight.Check(t.Context(), crds)
	require.NoError(t, err, "a panic, or something else that crdctl cannot do")
	return found
}

func withSchema(schema string) string {
	return strings.NewReplacer("SCHEMA", schema, "COLUMN", `".spec.a"`).Replace(manifest)
}

// Schemas that are large, deep or expensive are judged as others are.
func TestHostile(t *testing.T) {
	deep := func(n int, open, inner, closed string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closed, n)
	}
	for name, c := range map[string]struct{ schema, want string }{
		"deep objects":      {deep(1500, `{"type": "object", "properties": {"a": `, `{"type": "string", "default": 1}`, "}}"), "refused-default"},
		"deep lists":        {deep(1500, `{"type": "array", "items": `, `{"type": "string", "pattern": "["}`, "}"), "refused-schema"},
		"deep maps":         {deep(1500, `{"type": "object", "additionalProperties": `, `{"type": "string", "default": 1}`, "}"), "default-in-map"},
		"many values":       {`{"type": "string", "enum": [` + strings.Repeat(`"a", `, 5000) + `"b"]}`, "enum-type"},
		"many alternatives": {`{"type": "object", "anyOf": [` + strings.Repeat(`{"required": ["a"]}, `, 5000) + `{"type": "string"}]}`, "refused-schema"},
		"nested rules":      {deep(30, `{"type": "array", "x-kubernetes-validations": [{"rule": "self.all(a, self.all(b, a == b))"}], "items": `, `{"type": "string"}`, "}"), "cel-cost"},
		"a long rule":       {`{"type": "string", "x-kubernetes-validations": [{"rule": "` + deep(2000, "(", "self == ''", ")") + `"}]}`, "refused-cel"},
		"many rules":        {`{"type": "string", "x-kubernetes-validations": [` + strings.Repeat(`{"rule": "self.matches('a+')"}, `, 500) + `{"rule": "self"}]}`, "refused-cel"},
		"brackets":          {`{"type": "object", "properties": {"a]": {"type": "object", "properties": {"a].properties[b": {}}}}}`, "refused-schema"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ids []string
			for _, f := range judge(t, withSchema(c.schema)) {
				ids = append(ids, f.Rule.ID)
				assert.Less(t, len(f.Message), 1000)
			}
			assert.Contains(t, ids, c.want)
		})
	}
}

func FuzzManifest(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/places.txtar")
	require.NoError(f, err)
	for _, file := range archive.Files {
		if strings.HasPrefix(file.Name, "crds/") {
			f.Add(string(file.Data))
		}
	}
	f.Add(withSchema(`{"x-kubernetes-preserve-unknown-fields": true, "type": "object", "x-kubernetes-embedded-resource": true, "default": {"metadata": 1}}`))
	f.Fuzz(func(t *testing.T, text string) { judge(t, text) })
}

func FuzzSchema(f *testing.F) {
	f.Add("self.a.all(x, x == 'b')", "^[a-z]+$", `{"a": ["b"]}`, `.spec.a[?(@.b=="c")]`, "date-time", "a.b]", int64(3))
	f.Add("oldSelf.a == self.a && has(self.b)", "(", `"x"`, ".spec['a'][0:1]..b", "k8s-short-name", "namespace", int64(-1))
	f.Add("quantity('1').isGreaterThan(self.q)", "", "null", "{range .x}{end}", "int32", "", int64(1<<62))
	f.Add("self", "a(%!", "0", "0", "0", "", int64(0))
	f.Fuzz(func(t *testing.T, rule, pattern, value, column, format, name string, bound int64) {
		if !json.Valid([]byte(value)) {
			value = "1"
		}
		text := func(s string) json.RawMessage { data, _ := json.Marshal(s); return data }
		schema, err := json.Marshal(map[string]any{
			"type": "object", "default": json.RawMessage(value), "required": []string{name}, "x-kubernetes-validations": []any{map[string]any{"rule": rule, "messageExpression": rule, "fieldPath": "." + name}},
			"properties": map[string]any{
				name: map[string]any{"type": "string", "pattern": pattern, "format": format, "maxLength": bound, "minLength": bound, "enum": []any{json.RawMessage(value)}},
				"a":  map[string]any{"type": "array", "maxItems": bound, "items": map[string]any{"type": "string", "format": format}, "x-kubernetes-list-type": "set", "default": json.RawMessage(value)},
				"q": map[string]any{
					"type": "object", "additionalProperties": map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "integer", "default": json.RawMessage(value)}}},
					"x-kubernetes-validations": []any{map[string]any{"rule": rule}},
				},
			},
		})
		require.NoError(t, err)
		found := judge(t, strings.NewReplacer("SCHEMA", string(schema), "COLUMN", string(text(column))).Replace(manifest))
		checktest.Formatted(t, found, rule, pattern, value, column, format, name)
	})
}
