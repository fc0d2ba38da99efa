// SPDX-License-Identifier: Apache-2.0

package write_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd/write"
)

const definition = `
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, plural: crontabs}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - {rule: "!has(self.spec.name) || self.spec.name != 'root'", message: no root}
        properties:
          spec:
            type: object
            required: [mode]
            x-kubernetes-validations:
            - {rule: "!has(self.name) || self.name != 'bad'", message: no bad}
            - {rule: "self.mode == oldSelf.mode", message: mode stays}
            properties:
              name: {type: string, maxLength: 8}
              mode: {type: string, enum: [a, b]}
              replicas: {type: integer}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string, maxLength: 4}}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              size: {type: integer, default: 3}
            oneOf:
            - {required: [mode]}
            - {required: [name, tags, replicas, size, pod]}
          status:
            type: object
            properties:
              phase: {type: string, enum: [on, off]}
              replicas: {type: integer}
              selector: {type: string}
`

// objects are bad in all ways that a write can be, and good.
var objects = []string{
	`{metadata: {name: a}, spec: {mode: a}}`,
	`{metadata: {name: a, labels: {x: y}}, spec: {mode: a}, status: {phase: "on"}}`,
	`{metadata: {name: A_b, namespace: x, labels: {"-": "%"}, finalizers: [f]}, spec: {mode: a}}`,
	`{metadata: {name: a}, spec: {mode: c, name: bad}}`,
	`{metadata: {name: a}, spec: {mode: c, name: bad, size: 4}}`,
	`{metadata: {name: a}, spec: {name: x}}`,
	`{metadata: {name: a}, spec: {mode: a, name: much too long}}`,
	`{metadata: {name: a}, spec: {mode: b, name: bad}}`,
	`{metadata: {name: a}, spec: {mode: b, name: root}}`,
	`{metadata: {name: a}, spec: {mode: b, name: root}, status: {phase: "off"}}`,
	`{metadata: {name: a}, spec: {mode: a, replicas: -1}, status: {replicas: 99999999999, selector: x}}`,
	`{metadata: {name: a}, spec: {mode: a, replicas: x}, status: {phase: half, selector: 1}}`,
	`{metadata: {name: a}, spec: {mode: a, tags: [a, a]}}`,
	`{metadata: {name: a}, spec: {mode: a, tags: [a, a, verylong], unknown: 1}}`,
	`{metadata: {name: a}, spec: {mode: a, pod: {apiVersion: v1, kind: Pod, metadata: {name: "?"}}}}`,
	`{metadata: {name: a}, spec: {mode: a, pod: {kind: Pod, metadata: 7}}}`,
	`{metadata: {generateName: a-, ownerReferences: [{kind: X}]}, spec: {mode: a}}`,
	`{metadata: {name: a}, kind: Other, spec: {mode: a}}`,
	`{metadata: {name: a}, apiVersion: stable.example.com/v2, spec: {mode: a}}`,
	`{metadata: 7, spec: {mode: a}}`,
	`{spec: null, status: null}`,
}

// server is the API server's own strategy for a version.
type server struct {
	create interface {
		Validate(ctx context.Context, obj runtime.Object) field.ErrorList
		ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
	}
	status interface {
		PrepareForUpdate(ctx context.Context, obj, old runtime.Object)
		ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
	}
}

func serverOf(t *testing.T, crd *apiextv1.CustomResourceDefinition, compiled *write.Version) server {
	t.Helper()
	v := &apiextensions.CustomResourceDefinitionVersion{}
	require.NoError(t, apiextv1.Convert_v1_CustomResourceDefinitionVersion_To_apiextensions_CustomResourceDefinitionVersion(&crd.Spec.Versions[0], v, nil))
	all, _, err := validation.NewSchemaValidator(v.Schema.OpenAPIV3Schema)
	require.NoError(t, err)
	props := v.Schema.OpenAPIV3Schema.Properties["status"]
	status, _, err := validation.NewSchemaValidator(&props)
	require.NoError(t, err)
	kind := unstructured.Unstructured{Object: map[string]any{"apiVersion": "stable.example.com/v1", "kind": "CronTab"}}
	strategy := customresource.NewStrategy(nil, true, kind.GroupVersionKind(), all, status, compiled.Structural, v.Subresources.Status, v.Subresources.Scale, nil)
	return server{strategy, customresource.NewStatusStrategy(strategy)}
}

// What is put together here of the API server's code answers as the API server's registry does, for each object and each pair of them.
func TestLikeServer(t *testing.T) {
	crd := &apiextv1.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(definition), crd))
	compiled, err := write.Compile(crd, &crd.Spec.Versions[0])
	require.NoError(t, err)
	server := serverOf(t, crd, compiled)
	var decoded []*unstructured.Unstructured
	for _, text := range objects {
		o := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &o))
		if o["kind"] == nil {
			o["kind"] = "CronTab"
		}
		if o["apiVersion"] == nil {
			o["apiVersion"] = "stable.example.com/v1"
		}
		asJSON, err := yaml.Marshal(o)
		require.NoError(t, err)
		asJSON, err = yaml.YAMLToJSON(asJSON)
		require.NoError(t, err)
		u := &unstructured.Unstructured{}
		require.NoError(t, u.UnmarshalJSON(asJSON))
		if _, ok := u.Object["metadata"].(map[string]any); ok {
			_, err = compiled.Decode(u.Object)
			require.NoError(t, err)
		}
		decoded = append(decoded, u)
	}
	ctx := t.Context()
	refused := 0
	for i, now := range decoded {
		values, rules := compiled.Create(ctx, now.DeepCopy().Object)
		if got := lines(append(values, rules...)); !assert.Equal(t, lines(server.create.Validate(ctx, now.DeepCopy())), got, "create %s", objects[i]) || len(got) > 0 {
			refused++
		}
		for j, was := range decoded {
			values, rules := compiled.Update(ctx, now.DeepCopy().Object, was.DeepCopy().Object)
			assert.Equal(t, lines(server.create.ValidateUpdate(ctx, now.DeepCopy(), was.DeepCopy())), lines(append(values, rules...)), "update %s to %s", objects[j], objects[i])
			written := now.DeepCopy()
			if _, ok := written.Object["metadata"].(map[string]any); ok {
				server.status.PrepareForUpdate(ctx, written, was.DeepCopy())
				values, rules = compiled.UpdateStatus(ctx, now.DeepCopy().Object, was.DeepCopy().Object)
				assert.Equal(t, lines(server.status.ValidateUpdate(ctx, written, was.DeepCopy())), lines(append(values, rules...)), "status of %s to %s", objects[j], objects[i])
			}
		}
	}
	assert.Greater(t, refused, len(objects)/2, "the objects are too good to show anything")
}

// inText is an error that has its field in its text.
var inText = regexp.MustCompile(`^<nil>: Invalid value: "": "([^"]+)" must`)

// lines are errors in an order; that of the API server walks over maps. That it left out rules is for the caller to see.
func lines(errs field.ErrorList) []string {
	all := []string{}
	for _, e := range errs {
		if e.Field != "<nil>" && e.Field != "" || e.Detail != "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation" {
			all = append(all, inText.ReplaceAllString(e.Error(), `$1: Invalid value: "": must`))
		}
	}
	slices.Sort(all)
	return all
}

// Of a value without a format, such as an object, the API server names the format alone.
func TestTextOfFormats(t *testing.T) {
	crd := &apiextv1.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(definition), crd))
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &apiextv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextv1.JSONSchemaProps{
		"config": {Type: "string", Format: "byte"},
		"size":   {Type: "integer", Format: "int32"},
	}}
	compiled, err := write.Compile(crd, &crd.Spec.Versions[0])
	require.NoError(t, err)
	text := func(config, size any) (all []string) {
		object := map[string]any{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": map[string]any{"name": "a", "namespace": "b"}, "config": config, "size": size}
		errs, _ := compiled.Create(t.Context(), object)
		for _, e := range errs {
			all = append(all, write.Text(e))
		}
		slices.Sort(all)
		return all
	}
	assert.Equal(t, []string{"config must be of type byte, not object or boolean", "size must be of type int32, not object or boolean"}, text(map[string]any{"a": "b"}, true))
	assert.Equal(t, []string{"config must be of type byte, not int64", "size must be of type integer, not string"}, text(int64(1), "a"))
}
