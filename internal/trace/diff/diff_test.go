// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

func object(t *testing.T, content string) map[string]any {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal([]byte(content), &o))
	return o
}

func lines(all []trace.Change) string {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(c.Path + ": " + string(c.Old) + " -> " + string(c.New) + "\n")
	}
	return b.String()
}

func TestChanges(t *testing.T) {
	before := object(t, `{"metadata": {"resourceVersion": "1", "managedFields": [1], "generation": 1, "annotations": {"a.b/c": "x"}, "creationTimestamp": null},
		"spec": {"containers": [{"image": "a", "ports": []}], "args": ["x"], "size": 1}, "status": {}}`)
	after := object(t, `{"metadata": {"resourceVersion": "2", "managedFields": [2], "generation": 2, "annotations": {"a.b/c": "y", "d": "e"}},
		"spec": {"containers": [{"image": "b", "ports": null}], "args": ["x", "y"], "size": "1"}}`)
	assert.Equal(t, `metadata.annotations["a.b/c"]: "x" -> "y"
metadata.annotations.d:  -> "e"
metadata.generation: 1 -> 2
spec.args: ["x"] -> ["x","y"]
spec.containers[0].image: "a" -> "b"
spec.containers[0].ports: [] -> 
spec.size: 1 -> "1"
`, lines(Changes(before, after)))
	after = object(t, `{"metadata": {"resourceVersion": "3", "managedFields": [3]}, "status": {"a": null}}`)
	before = object(t, `{"metadata": {"resourceVersion": "2", "managedFields": [2]}, "status": {}}`)
	assert.Empty(t, Changes(before, after))
}

func TestDrift(t *testing.T) {
	sent := object(t, `{"kind": "D", "metadata": {"name": "x", "uid": "", "labels": {"a": "b"}, "creationTimestamp": null},
		"spec": {"terminationMessagePolicy": "", "pruned": 1, "strategy": {}}, "status": {"a": 1}}`)
	stored := object(t, `{"apiVersion": "v1", "kind": "D", "metadata": {"name": "x", "uid": "u", "generation": 3, "labels": {"a": "b"}, "finalizers": ["f"]},
		"spec": {"terminationMessagePolicy": "File", "strategy": {"type": "x"}}, "status": {"b": 2}}`)
	assert.Equal(t, `metadata.finalizers:  -> ["f"]
spec.pruned: 1 -> 
spec.strategy.type:  -> "x"
spec.terminationMessagePolicy: "" -> "File"
`, lines(Drift(sent, stored, "")))
	assert.Equal(t, "status.a: 1 -> \nstatus.b:  -> 2\n", lines(Drift(sent, stored, "status")))
}
