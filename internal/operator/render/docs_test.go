// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// The templates on the page about hooks, asked what the page asks, answer what the page says that a hook answers.
func TestTemplatesOfTheDocs(t *testing.T) {
	d := open(t, "deployment.yaml", operatortest.InDocs(t, "with `deployment.yaml`:\n"), "_labels.tpl", operatortest.InDocs(t, "with `_labels.tpl`:\n"), "status.yaml", operatortest.InDocs(t, "with `status.yaml`:\n"))
	assert.True(t, d.ReadsChildren(), "the status reads children")
	question, want := operatortest.InDocs(t, "(the fields that the API server sets in `metadata` are left out here):\n"), operatortest.InDocs(t, "The response is one JSON object as well:\n")
	for _, children := range []bool{true, false} {
		q := question
		if !children { // a child that does not exist yet
			q = strings.Replace(q, `"example-foo": {`, `"other": {`, 1)
			want = strings.Replace(want, `"availableReplicas": 1`, `"availableReplicas": 0`, 1)
		}
		out, err := d.Sync([]byte(q), limit)
		require.NoError(t, err)
		var g, w any
		require.NoError(t, json.Unmarshal(out, &g))
		require.NoError(t, json.Unmarshal([]byte(want), &w))
		assert.Equal(t, w, g, "got %s, want %s", out, want)
	}
}
