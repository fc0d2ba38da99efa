// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/diff"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// states are an object at several times, and one that a CRD may have: with fields next to spec and status.
func states() []runtime.Object {
	one := int64(1)
	controller := true
	pod := func(change func(*corev1.Pod)) runtime.Object {
		p := &corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{
				Name: "x", Namespace: "default", UID: "u", ResourceVersion: "1", Generation: 1, Labels: map[string]string{"a": "b", "c": "d"}, Finalizers: []string{"f", "g"},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "r", UID: "o", Controller: &controller}, {Kind: "Other"}},
				ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1("{}")}},
			},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i", Env: []corev1.EnvVar{{Name: "A_TOKEN", Value: "hidden-1"}, {Name: "B", Value: "b"}}}}},
		}
		change(p)
		return p
	}
	return []runtime.Object{
		pod(func(*corev1.Pod) {}),
		pod(func(p *corev1.Pod) { p.ResourceVersion = "2"; p.ManagedFields = nil }),
		pod(func(p *corev1.Pod) { p.Spec.Containers[0].Env[0].Value = "hidden-2"; p.Labels["e"] = "f" }),
		pod(func(p *corev1.Pod) {
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "d"})
			p.Generation = 2
		}),
		pod(func(p *corev1.Pod) {
			p.Status.Phase = "Running"
			p.Status.Conditions = []corev1.PodCondition{{Type: "Ready"}, {Type: "Other"}}
		}),
		pod(func(p *corev1.Pod) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds, p.Finalizers, p.OwnerReferences = &metav1.Time{Time: metav1.Now().Truncate(1e9)}, &one, p.Finalizers[1:], nil
			p.Annotations = map[string]string{lastApplied: `{"spec":{"containers":[{"env":[{"name":"A_TOKEN","value":"hidden-3"}]}]}}`}
		}),
		pod(func(p *corev1.Pod) { p.ObjectMeta = metav1.ObjectMeta{UID: "u"} }),
	}
}

// encodings are the states as JSON, and as protobuf.
func encodings(t *testing.T) (all []*object) {
	t.Helper()
	for _, state := range states() {
		text, err := json.Marshal(state)
		require.NoError(t, err)
		o, err := decodeJSON(text)
		require.NoError(t, err)
		message, err := runtime.Encode(protobuf.NewSerializer(nil, nil), state)
		require.NoError(t, err)
		p, err := decodeProtobuf(message)
		require.NoError(t, err)
		assert.Equal(t, o.head, p.head)
		all = append(all, o, p)
	}
	for i := range 2 {
		for _, extra := range []string{"", `,"more":{"a":1}`, `,"more":null`, `,"m\u006fre":[]`} {
			o, err := decodeJSON(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"uid":"u"},"name":"A_KEY","value":"hidden-%d"%s}`, i, extra))
			require.NoError(t, err)
			all = append(all, o)
		}
	}
	return all
}

// What changed between two versions is what a comparison of all of both finds, however they are encoded.
func TestChangesByParts(t *testing.T) {
	v := newVersions(Options{Redact: redact.New(redact.Options{})})
	for i, before := range encodings(t) {
		for j, after := range encodings(t) {
			var fields [2]map[string]any
			var of [2]parts
			for k, object := range []*object{before, after} {
				all, err := object.encoding().fields()
				require.NoError(t, err)
				fields[k] = v.redacted(redact.Target{Resource: "pods"}, all)
				of[k], err = object.encoding().split(parts{})
				require.NoError(t, err)
			}
			want := diff.Changes(fields[0], fields[1])
			held := before.encoding().join(of[0])
			again, err := held.split(parts{})
			require.NoError(t, err)
			assert.Equal(t, of[0], again)
			was, is, err := v.unlike(redact.Target{Resource: "pods"}, held, after.encoding(), again, of[1])
			require.NoError(t, err)
			got := diff.Changes(was, is)
			assert.Equal(t, want, got, "%d and %d", i, j)
			for _, subresource := range []string{"", "status"} {
				assert.Equal(t, diff.Drift(fields[0], fields[1], subresource), diff.Drift(was, is, subresource), "%d and %d", i, j)
			}
			text, err := json.Marshal(got)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "hidden-")
		}
	}
}

// The head of an object is read without a copy of the rest, and of an Event what is recorded without its metadata.
func TestProtobufIsNotCopied(t *testing.T) {
	large := metav1.ObjectMeta{Name: "x", Annotations: map[string]string{"large": strings.Repeat("x", 1<<20)}}
	message, err := runtime.Encode(protobuf.NewSerializer(nil, nil), &corev1.Event{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Event"}, ObjectMeta: large, Reason: "Made", Count: 3})
	require.NoError(t, err)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	for range 10 {
		o, err := decodeProtobuf(message)
		require.NoError(t, err)
		assert.Equal(t, "x", o.Metadata.Name)
		e, ok := kubeEventOf(o)
		assert.Equal(t, []any{"Made", 3, true}, []any{e.Reason, e.Count, ok})
	}
	goruntime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5<<20))
}

// What does not change is not decoded: it makes no garbage, however much of it an object has.
func TestOnlyWhatChangedIsDecoded(t *testing.T) {
	v := newVersions(Options{Sink: &kept{}, Redact: redact.New(redact.Options{}), Bodies: trace.BodiesNone})
	rv := 0
	assert.Less(t, testing.AllocsPerRun(100, func() {
		rv++
		o, err := decodeJSON(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"W","metadata":{"uid":"u","resourceVersion":"%d"},"spec":[%s0],"status":{"n":%d}}`, rv, strings.Repeat(`{"a":"b"},`, 1000), rv))
		require.NoError(t, err)
		v.see(&version{uid: "u", rv: uint64(rv), by: "x", object: o})
		v.settle(0, true)
	}), 100.0)
}
