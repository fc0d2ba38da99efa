// SPDX-License-Identifier: Apache-2.0

package object

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

var cronTab = &Form{APIVersion: "stable.example.com/v1beta1", Kind: "CronTab"}

// stripped is what an object of that text has to be decoded to, as apimachinery's decoder into maps sees it.
func stripped(text []byte) (map[string]any, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(text, &content); err != nil {
		return nil, err
	}
	if content == nil {
		content = map[string]any{}
	}
	content["apiVersion"], content["kind"] = cronTab.APIVersion, cronTab.Kind
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		delete(content, "metadata")
		return content, nil
	}
	delete(metadata, "managedFields")
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		if _, ok := annotations[corev1.LastAppliedConfigAnnotation]; ok {
			if delete(annotations, corev1.LastAppliedConfigAnnotation); len(annotations) == 0 {
				delete(metadata, "annotations")
			}
		}
	}
	return content, nil
}

// expectDecoded compares everything that an object tells with what other decoders make of its text.
func expectDecoded(t *testing.T, o *Object, text []byte) {
	t.Helper()
	want, err := stripped(text)
	require.NoError(t, err)
	got, err := o.Content()
	require.NoError(t, err)
	assert.Equal(t, want, got, "decoded\n  %s\nto", text)
	whole := o.AppendJSON([]byte("prefix"))
	if rest, ok := strings.CutPrefix(string(whole), "prefix"); !ok || !json.Valid([]byte(rest)) {
		t.Errorf("AppendJSON is no JSON: %s", whole)
	}
	expectIdentity(t, o, &unstructured.Unstructured{Object: want})
	expectIdentity(t, o.MetadataOnly(), &unstructured.Unstructured{Object: want})
}

func expectIdentity(t *testing.T, o *Object, want *unstructured.Unstructured) {
	t.Helper()
	if o.Namespace() != want.GetNamespace() || o.Name() != want.GetName() || o.UID() != want.GetUID() || o.ResourceVersion() != want.GetResourceVersion() ||
		o.Generation() != want.GetGeneration() || o.APIVersion() != want.GetAPIVersion() || o.Kind() != want.GetKind() {
		t.Errorf("identity: %s %s %s of %s in version %s, generation %d; want %v", o.APIVersion(), o.Kind(), o.UID(), o.Key(), o.ResourceVersion(), o.Generation(), want.Object)
	}
}

func decode(t *testing.T, text string) *Object {
	t.Helper()
	o, err := Decode([]byte(text), cronTab)
	require.NoError(t, err, text)
	return o
}
