// SPDX-License-Identifier: Apache-2.0

package compat_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/compat"
)

const group = "stable.example.com"

func TestCheck(t *testing.T) {
	for name, c := range cases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			current, changed, objects := crd(group, "current", c.Current), crd(group, "changed", c.Changed), c.made(t, group)
			for range 3 { // maps have another order each time
				slices.Reverse(objects)
				before := (&unstructured.UnstructuredList{Items: objects}).DeepCopy().Items
				check(t, current, changed, objects, c.Want)
				assert.Equal(t, before, objects, "the objects were changed")
			}
		})
	}
}

// What a CRD has apart from its schemas, which the cases do not say.
func TestCheckOfOtherFields(t *testing.T) {
	url := "https://convert.example.com"
	webhook := &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter, Webhook: &apiextv1.WebhookConversion{
		ClientConfig: &apiextv1.WebhookClientConfig{URL: &url}, ConversionReviewVersions: []string{"v1"},
	}}
	scale := &apiextv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
	all := cases(t)
	old := parse(t, "current: [{v1: {type: object, properties: {a: {type: string}}}}]\nobjects: {x: {a: b, foo: c}}")
	old.Changed = old.Current
	scaled := parse(t, "current: [{v1: {type: object, properties: {replicas: {type: integer}}}}]\nobjects: {x: {replicas: -1}}")
	scaled.Changed = scaled.Current
	for name, test := range map[string]struct {
		testCase
		edit func(current, changed *apiextv1.CustomResourceDefinition)
		want []string
	}{
		// The storage version of a webhook's CRD is not made here; what is handed in is held to its own version.
		"webhook": {all["version added"], func(current, changed *apiextv1.CustomResourceDefinition) {
			current.Spec.Conversion, changed.Spec.Conversion = webhook, webhook
		}, nil},
		// A changed CRD that was read from a cluster and edited bears the status of the current one.
		"status": {all["version removed"], func(current, changed *apiextv1.CustomResourceDefinition) { changed.Status = current.Status }, all["version removed"].Want},
		// The scale subresource wants numbers where its paths point to.
		"scale": {scaled, func(_, changed *apiextv1.CustomResourceDefinition) {
			changed.Spec.Versions[0].Subresources = &apiextv1.CustomResourceSubresources{Scale: scale}
		}, []string{"default/x (v1): .spec.replicas: Invalid value: -1: should be a non-negative integer (every write is refused, finalizers and status included: the controller is locked out)"}},
		// A CRD of the old days has objects with fields that no schema knows, and may have no schema.
		"unknown fields": {old, func(current, _ *apiextv1.CustomResourceDefinition) { current.Spec.PreserveUnknownFields = true },
			[]string{"default/x: spec.foo would be dropped"}},
		"unknown fields, no schema": {old, func(current, _ *apiextv1.CustomResourceDefinition) {
			current.Spec.PreserveUnknownFields, current.Spec.Versions[0].Schema = true, nil
		}, []string{"default/x: spec.foo would be dropped"}},
	} {
		t.Run(name, func(t *testing.T) {
			current, changed := crd(group, "current", test.Current), crd(group, "changed", test.Changed)
			test.edit(current, changed)
			check(t, current, changed, test.made(t, group), test.want)
		})
	}
}

// Objects may be handed in at a version that is not stored: their own schema counts, and what they were under it.
func TestOtherVersion(t *testing.T) {
	const loose, strict = `{type: object, properties: {a: {type: string}}}`, `{type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}`
	for changed, want := range map[string][]string{
		"[{v1: " + strict + "}, {v1beta1: " + loose + "}]":                       nil,
		"[{v1: " + strict + "}, {v1beta1: " + strict + "}]":                      {"default/x (v1beta1): spec.b: Required value (refused: create, spec update)"},
		"[{v2: " + strict + "}, {v1beta1: " + loose + "}, {v1: " + strict + "}]": {"default/x (v2): spec.b: Required value (refused: create, spec update)"},
	} {
		c := parse(t, "current: [{v1: "+strict+"}, {v1beta1: "+loose+"}]\nchanged: "+changed+"\nobjects: {x: {a: c}}")
		objects := c.made(t, group)
		objects[0].SetAPIVersion(group + "/v1beta1")
		check(t, crd(group, "current", c.Current), crd(group, "changed", c.Changed), objects, want)
	}
}

func TestCheckRefuses(t *testing.T) {
	const good = `{type: object, properties: {a: {type: string}}}`
	other := unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v3", "kind": "CronTab", "metadata": map[string]any{"name": "x"}}}
	for name, test := range map[string]struct {
		current, changed string
		objects          []unstructured.Unstructured
		want             string
	}{
		"no type":           {good, `{properties: {a: {type: string}}}`, nil, "properties[spec].type: Required value: must not be empty for specified object fields"},
		"reference":         {good, `{type: object, properties: {a: {$ref: "#/definitions/b"}}}`, nil, "$ref: Forbidden"},
		"no items":          {good, `{type: object, properties: {a: {type: array}}}`, nil, "properties[a].items: Required value"},
		"unknown type":      {good, `{type: object, properties: {a: {type: text}}}`, nil, `Unsupported value: "text"`},
		"pattern":           {good, `{type: object, properties: {a: {type: string, pattern: "("}}}`, nil, "must be a valid regular expression"},
		"default":           {good, `{type: object, properties: {a: {type: string, default: 7}}}`, nil, "properties[a].default: Invalid value"},
		"rule":              {good, `{type: object, x-kubernetes-validations: [{rule: "self.b > 1"}]}`, nil, "compilation failed"},
		"keys":              {good, `{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, items: {type: object}}}}`, nil, "x-kubernetes-list-map-keys: Required value"},
		"current is broken": {`{type: object, properties: {a: {type: array}}}`, good, nil, "the current CRD crontabs.stable.example.com: version v1: the schema is not structural: "},
		"version":           {good, good, []unstructured.Unstructured{other}, `x is a CronTab of "stable.example.com/v3", which the current CRD does not have; list the objects of CronTab.stable.example.com at one of v1`},
		"empty object":      {good, good, make([]unstructured.Unstructured, 1), "which the current CRD does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := parse(t, "current: [{v1: "+test.current+"}]\nchanged: [{v1: "+test.changed+"}]")
			current, changed := crd(group, "current", c.Current), crd(group, "changed", c.Changed)
			_, err := compat.Check(t.Context(), current, changed, test.objects)
			assert.ErrorContains(t, err, test.want)
			if test.changed != good { // as a new CRD
				_, err := compat.Check(t.Context(), nil, changed, nil)
				assert.ErrorContains(t, err, test.want)
			}
		})
	}
}

func TestCheckOfTwoNames(t *testing.T) {
	c := cases(t)["nothing"]
	made := crd(group, "current", c.Current)
	_, err := compat.Check(t.Context(), made, crd("other.example.com", "changed", c.Changed), nil)
	assert.ErrorContains(t, err, "is not a change of the CRD")
	_, err = compat.Check(t.Context(), made, nil, nil)
	assert.Error(t, err, "without a changed CRD")
	check(t, nil, made, nil, nil)
}

// A check that was interrupted has no findings: CEL that stops half way would make an object look invalid.
func TestCheckIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("Ctrl-C")
	cancel(stop)
	c := cases(t)["rule added"]
	findings, err := compat.Check(ctx, crd(group, "current", c.Current), crd(group, "changed", c.Changed), c.made(t, group))
	require.ErrorIs(t, err, stop)
	assert.Empty(t, findings)
}
