// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd/compat"
)

// Which writes of a stored object a changed schema refuses depends on where it is wrong, since updates may leave what is invalid as it is.
func TestWrites(t *testing.T) {
	const open = `{type: object, properties: {spec: {type: object, properties: {a: {type: string}, b: {type: string}, list: {type: array, items: {type: object, properties: {name: {type: string}}}},
		tags: {type: array, items: {type: string}}}}, status: {type: object, properties: {phase: {type: string}}}}}`
	create, spec, metadata, status := compat.Create, compat.UpdateSpec, compat.UpdateMetadata, compat.UpdateStatus
	for name, c := range map[string]struct {
		changed, object string
		want            []compat.Write
	}{
		"enum":        {`{properties: {spec: {properties: {a: {enum: [x]}}}}}`, `{spec: {a: other}}`, []compat.Write{create}},
		"list is map": {`{properties: {spec: {properties: {list: {x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {required: [name]}}}}}}`, `{spec: {list: [{name: x}, {name: x}]}}`, []compat.Write{create}},
		"item":        {`{properties: {spec: {properties: {tags: {items: {maxLength: 1}}}}}}`, `{spec: {tags: [long]}}`, []compat.Write{create}},
		"required":    {`{properties: {spec: {required: [b]}}}`, `{spec: {a: x}}`, []compat.Write{create, spec}},
		"rule":        {`{properties: {spec: {x-kubernetes-validations: [{rule: "self.a == 'x'"}]}}}`, `{spec: {a: other}}`, []compat.Write{create, spec}},
		"oneOf":       {`{properties: {spec: {oneOf: [{required: [a]}, {required: [b]}]}}}`, `{spec: {a: x, b: other}}`, []compat.Write{create, spec}},
		"root rule":   {`{x-kubernetes-validations: [{rule: "self.spec.a == 'x'"}]}`, `{spec: {a: other}}`, []compat.Write{create, spec, metadata, status}},
		"status enum": {`{properties: {status: {properties: {phase: {enum: [x]}}}}}`, `{spec: {a: other}, status: {phase: other}}`, nil},
		"status":      {`{properties: {status: {required: [phase]}}}`, `{spec: {a: other}, status: {more: other}}`, []compat.Write{status}},
		"both":        {`{properties: {spec: {required: [b]}}, x-kubernetes-validations: [{rule: "self.spec.a == 'x'"}]}`, `{spec: {a: other}}`, []compat.Write{create, spec, metadata, status}},
	} {
		t.Run(name, func(t *testing.T) {
			current, changed := withStatus(t, open, `{}`), withStatus(t, open, c.changed)
			object := testCase{Current: revision{{"v1": {}}}, Objects: map[string]json.RawMessage{"x": []byte(`{}`)}}.made(t, group)
			require.NoError(t, yaml.Unmarshal([]byte(c.object), &object[0].Object))
			findings, err := compat.Check(t.Context(), current, changed, object)
			require.NoError(t, err)
			require.Len(t, findings, 1)
			assert.Equal(t, c.want, findings[0].Writes, findings[0].String())
			switch name {
			case "root rule":
				assert.Contains(t, findings[0].String(), "the controller is locked out")
			case "required":
				assert.Equal(t, "refused: create, spec update", compat.Refused(findings[0].Writes))
			}
		})
	}
}

// Each thing that is wrong has the writes that are refused for it alone, also a rule that a wrong value keeps from being run when the object is created.
func TestWritesOfProblems(t *testing.T) {
	current := withStatus(t, `{type: object, properties: {spec: {type: object, properties: {a: {type: string}, b: {type: string}}}, status: {type: object, properties: {phase: {type: string}}}}}`, `{}`)
	changed := withStatus(t, `{type: object, properties: {spec: {type: object, required: [b], properties: {a: {type: string, enum: [x]}, b: {type: string}}},
		status: {type: object, properties: {phase: {type: string, enum: [x]}}}}}`, `{x-kubernetes-validations: [{rule: "self.spec.a == 'x'"}]}`)
	object := testCase{Current: revision{{"v1": {}}}, Objects: map[string]json.RawMessage{"x": []byte(`{}`)}}.made(t, group)
	require.NoError(t, yaml.Unmarshal([]byte(`{spec: {a: other}, status: {phase: other}}`), &object[0].Object))
	findings, err := compat.Check(t.Context(), current, changed, object)
	require.NoError(t, err)
	require.Len(t, findings, 1)
	refused := map[string][]compat.Write{}
	for _, p := range findings[0].Problems {
		refused[p.Field] = p.Writes
	}
	assert.Equal(t, map[string][]compat.Write{
		"<nil>": {compat.UpdateMetadata, compat.UpdateStatus}, "spec.a": {compat.Create}, "spec.b": {compat.Create, compat.UpdateSpec}, "status.phase": nil,
	}, refused)
}

// withStatus is a CRD with a schema laid over another one, and the status subresource.
func withStatus(t *testing.T, under, over string) *apiextv1.CustomResourceDefinition {
	t.Helper()
	made := crd(group, "any", revision{{"v1": {Type: "object"}}})
	v := &made.Spec.Versions[0]
	v.Subresources = &apiextv1.CustomResourceSubresources{Status: &apiextv1.CustomResourceSubresourceStatus{}}
	var a, b map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(under), &a))
	require.NoError(t, yaml.Unmarshal([]byte(over), &b))
	data, err := json.Marshal(lay(a, b))
	require.NoError(t, err)
	v.Schema = &apiextv1.CustomResourceValidation{OpenAPIV3Schema: &apiextv1.JSONSchemaProps{}}
	require.NoError(t, json.Unmarshal(data, v.Schema.OpenAPIV3Schema), fmt.Sprint(string(data)))
	return made
}

func lay(under, over map[string]any) map[string]any {
	for key, value := range over {
		below, ok := under[key].(map[string]any)
		if above, isMap := value.(map[string]any); ok && isMap {
			value = lay(below, above)
		}
		under[key] = value
	}
	return under
}
