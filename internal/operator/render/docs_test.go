package render

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The templates on the page about hooks, asked what the page asks, answer what the page says that a hook answers.
func TestTemplatesOfTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "hooks.md"))
	require.NoError(t, err)
	// after is the indented part after a text.
	after := func(text string) string {
		t.Helper()
		_, rest, ok := strings.Cut(string(page), text)
		require.True(t, ok, "docs/hooks.md does not say %q", text)
		var b strings.Builder
		for line := range strings.Lines(rest) {
			code, indented := strings.CutPrefix(line, "    ")
			if !indented && strings.TrimSpace(line) != "" {
				break
			}
			b.WriteString(code)
		}
		return b.String()
	}
	d := open(t, "deployment.yaml", after("with `deployment.yaml`:\n"), "_labels.tpl", after("with `_labels.tpl`:\n"), "status.yaml", after("with `status.yaml`:\n"))
	assert.True(t, d.ReadsChildren(), "the status reads children")
	question, want := after("(what the API server sets in `metadata` is left out here):\n"), after("The answer is one JSON object as well:\n")
	for _, children := range []bool{true, false} {
		q := question
		if !children { // a child that is not there yet
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
