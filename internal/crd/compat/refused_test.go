package compat_test

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/stretchr/testify/assert"
)

func TestCheckRefuses(t *testing.T) {
	const good = `{type: object, properties: {a: {type: string}}}`
	other := unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v3", "kind": "CronTab", "metadata": map[string]any{"name": "x"}}}
	for name, c := range map[string]struct {
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
			current, changed := crd(t, group, "current", []string{"v1", c.current}), crd(t, group, "changed", []string{"v1", c.changed})
			findings, err := compat.Check(t.Context(), current, changed, c.objects)
			assert.ErrorContains(t, err, c.want, "%v", findings)
			if len(c.objects) > 0 || c.current != good {
				return
			}
			_, err = compat.Check(t.Context(), nil, changed, nil)
			assert.ErrorContains(t, err, c.want, "as a new CRD")
		})
	}
}

func TestCheckOfTwoNames(t *testing.T) {
	c := cases["nothing"]
	made := crd(t, group, "current", c.current)
	_, err := compat.Check(t.Context(), made, crd(t, "other.example.com", "changed", c.changed), nil)
	assert.ErrorContains(t, err, "is no change of the CRD", "another CRD")
	_, err = compat.Check(t.Context(), made, nil, nil)
	assert.Error(t, err, "no error where there is no changed CRD")
	if findings, err := compat.Check(t.Context(), nil, made, nil); err != nil || len(findings) > 0 {
		t.Errorf("a new CRD: %v, %v", findings, err)
	}
}

// A check that was interrupted has no findings: CEL that stops half way would make an object look invalid.
func TestCheckIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("Ctrl-C")
	cancel(stop)
	c := cases["rule added"]
	findings, err := compat.Check(ctx, crd(t, group, "current", c.current), crd(t, group, "changed", c.changed), c.made(t, group))
	assert.ErrorIs(t, err, stop)
	assert.Nil(t, findings)
}
