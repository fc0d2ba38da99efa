// SPDX-License-Identifier: Apache-2.0

package record

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

var objects = []string{
	string(widget(1, 2)),
	`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets \"a\" not found","reason":"NotFound","details":{"name":"a","uid":"u","causes":[{"reason":"x"}]},"code":404}`,
	`{"metadata":{"name":"a\u0026b","deletionTimestamp":null,"deletionGracePeriodSeconds":0,"finalizers":["x","y"],"managedFields":"none","n":1},"kind":"W","spec":{"big":9007199254740993,"huge":1e400,"more":18446744073709551616,"half":0.5,"exp":1e3,"no":null,"yes":true,"empty":{},"list":[[],{},-1]}}`,
	`{"metadata":{"managedFields":[1]},"metadata":{"name":"twice"}}`,
	`{"metadata":null,"kind":null,"apiVersion":7}`,
	`{"kind":"W","metadata":[]}`, // the next are not objects
	`[{"kind":"W"}]`, `null`, `"text"`, `{"kind":"W"`, `{"metadata":{"name":"a"`, `{}{}`, ``,
}

// An object is read as Kubernetes reads it.
func FuzzFields(f *testing.F) {
	for _, o := range objects {
		f.Add([]byte(o))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var want map[string]any
		got, err := fieldsOf(content)
		if utiljson.Unmarshal(content, &want) != nil || want == nil {
			return // the API server sends no such thing
		}
		require.NoError(t, err)
		assert.Equal(t, want, got)
		var h head
		require.NoError(t, newScanner(content).head(&h))
	})
}

func TestHead(t *testing.T) {
	all := make([]head, len(objects))
	for i, o := range objects {
		err := newScanner([]byte(o)).head(&all[i])
		assert.Equal(t, i < 6 || i == 11, err == nil, "%s: %v", o, err)
	}
	assert.Equal(t, "CronTab", all[0].Kind)
	assert.Equal(t, "6f1c2a52-0000-4000-8000-000000000001", all[0].Metadata.UID)
	assert.EqualValues(t, 2, all[0].rv())
	assert.Equal(t, []any{404, "NotFound", `widgets "a" not found`, "u"}, []any{all[1].Code, all[1].Reason, all[1].Message, all[1].Details.UID})
	assert.Equal(t, "a&b", all[2].Metadata.Name)
	assert.True(t, *all[2].Metadata.DeletionGracePeriodSeconds == 0 && all[2].Metadata.DeletionTimestamp == "")
	assert.Equal(t, []string{"x", "y"}, all[2].Metadata.Finalizers)
	assert.Equal(t, "twice", all[3].Metadata.Name)
}
