package compat_test

import (
	"slices"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const group = "stable.example.com"

func TestCheck(t *testing.T) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			current, changed, objects := crd(t, group, "current", c.current), crd(t, group, "changed", c.changed), c.made(t, group)
			want := strings.Join(append(slices.Clone(c.want), ""), "\n")
			for range 3 { // maps have another order each time
				slices.Reverse(objects)
				before := slices.Clone(objects)
				for i := range before {
					before[i] = *objects[i].DeepCopy()
				}
				findings, err := compat.Check(t.Context(), current, changed, objects)
				require.NoError(t, err)
				assert.Equal(t, want, lines(findings), "findings")
				assert.True(t, equality.Semantic.DeepEqual(before, objects), "the objects were changed")
			}
		})
	}
}

// The storage version of a webhook's CRD is not made here; what is handed in is held to its own version.
func TestWebhook(t *testing.T) {
	c := cases["version added"]
	url := "https://convert.example.com"
	convert := func(crd *apiextv1.CustomResourceDefinition) *apiextv1.CustomResourceDefinition {
		crd.Spec.Conversion = &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter, Webhook: &apiextv1.WebhookConversion{
			ClientConfig: &apiextv1.WebhookClientConfig{URL: &url}, ConversionReviewVersions: []string{"v1"},
		}}
		return crd
	}
	current, changed := convert(crd(t, group, "current", c.current)), convert(crd(t, group, "changed", c.changed))
	findings, err := compat.Check(t.Context(), current, changed, c.made(t, group))
	require.NoError(t, err)
	assert.Empty(t, findings)
}

// Objects may be handed in at a version that is not stored: their own schema counts, and what they were under it.
func TestOtherVersion(t *testing.T) {
	const loose, strict = `{type: object, properties: {a: {type: string}}}`, `{type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}`
	c := testCase{current: []string{"v1", strict, "v1beta1", loose}, objects: map[string]string{"x": `{a: c}`}}
	u := c.made(t, group)
	u[0].SetAPIVersion(group + "/v1beta1")
	current := crd(t, group, "current", c.current)
	for want, changed := range map[string][]string{
		"": {"v1", strict, "v1beta1", loose},
		"default/x (v1beta1): spec.b: Required value\n": {"v1", strict, "v1beta1", strict},
		"default/x (v2): spec.b: Required value\n":      {"v2", strict, "v1beta1", loose, "v1", strict},
	} {
		findings, err := compat.Check(t.Context(), current, crd(t, group, "changed", changed), u)
		require.NoError(t, err)
		assert.Equal(t, want, lines(findings))
	}
}

// A changed CRD that was read from a cluster and edited bears the status of the current one: a version that is gone is a finding all the same.
func TestChangedWithStatus(t *testing.T) {
	c := cases["version removed"]
	current, changed := crd(t, group, "current", c.current), crd(t, group, "changed", c.changed)
	changed.Status = *current.Status.DeepCopy()
	findings, err := compat.Check(t.Context(), current, changed, c.made(t, group))
	if want := strings.Join(append(slices.Clone(c.want), ""), "\n"); err != nil || lines(findings) != want {
		t.Errorf("%s%v\nwant: %s", lines(findings), err, want)
	}
}

// The scale subresource wants numbers where its paths point to.
func TestScale(t *testing.T) {
	c := testCase{current: []string{"v1", `{type: object, properties: {replicas: {type: integer}}}`}, objects: map[string]string{"x": `{replicas: -1}`}}
	current, changed := crd(t, group, "current", c.current), crd(t, group, "changed", c.current)
	changed.Spec.Versions[0].Subresources = &apiextv1.CustomResourceSubresources{
		Scale: &apiextv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
	}
	findings, err := compat.Check(t.Context(), current, changed, c.made(t, group))
	if want := "default/x (v1): .spec.replicas: Invalid value: -1: should be a non-negative integer\n"; err != nil || lines(findings) != want {
		t.Errorf("%s%v\nwant: %s", lines(findings), err, want)
	}
}

// A CRD of the old days has objects with fields that no schema knows.
func TestPreserveUnknownFields(t *testing.T) {
	c := testCase{current: []string{"v1", `{type: object, properties: {a: {type: string}}}`}, objects: map[string]string{"x": `{a: b, foo: c}`}}
	current, changed := crd(t, group, "current", c.current), crd(t, group, "changed", c.current)
	current.Spec.PreserveUnknownFields = true
	for _, v := range []*apiextv1.CustomResourceValidation{current.Spec.Versions[0].Schema, nil} {
		current.Spec.Versions[0].Schema = v
		findings, err := compat.Check(t.Context(), current, changed, c.made(t, group))
		if want := "default/x: spec.foo would be dropped\n"; err != nil || lines(findings) != want {
			t.Errorf("%s%v\nwant: %s", lines(findings), err, want)
		}
	}
}
