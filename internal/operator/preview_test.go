// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRenderShowsADiffAndWritesNothing(t *testing.T) {
	b := newBed(t)
	b.api.At("/api/v1/namespaces/default/configmaps").Answer(nil)
	b.api.Asked()
	sketch, err := ReadSketch("-", strings.NewReader("apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"))
	require.NoError(t, err)
	require.NoError(t, Render(t.Context(), b.Options, sketch))
	want := `--- /dev/null
+++ ConfigMap default/a (after)
@@ -0,0 +1,13 @@
+apiVersion: v1
+data:
+  count: "1"
+kind: ConfigMap
+metadata:
+  name: a
+  namespace: default
+  ownerReferences:
+  - apiVersion: example.com/v1
+    blockOwnerDeletion: true
+    controller: true
+    kind: Foo
+    name: a
`
	assert.Equal(t, want, b.out.String(), "printed")
	for _, r := range b.api.Asked() {
		if r.Method != http.MethodGet && r.Query.Get("dryRun") != "All" {
			t.Errorf("%s %s was no try", r.Method, r.Path)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":             "standard input: no object with a metadata.name; --render takes one object, as YAML or JSON",
		"a: [":         "--render takes one object, as YAML or JSON",
		"metadata: {}": "standard input: no object with a metadata.name; --render takes one object, as YAML or JSON",
		"kind: Bar\napiVersion: example.com/v1\nmetadata: {name: a}": "standard input: the controller does not watch example.com/v1 Bar; --render takes an object of example.com/v1 Foo",
	} {
		b := newBed(t)
		sketch, err := ReadSketch("-", strings.NewReader(in))
		if err == nil {
			err = Render(t.Context(), b.Options, sketch)
		}
		require.Error(t, err, "%q: %v, want %s", in, err, want)
		assert.True(t, strings.HasSuffix(err.Error(), want), "%q: %v, want %s", in, err, want)
	}
}

func TestAPreviewWaitsForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &instance{Options: Options{Log: slog.New(slog.DiscardHandler)}, patience: previewPatience}
		asked, began := 0, time.Now()
		err := c.waitFor(t.Context(), "customresourcedefinition gones.example.com", func() error { asked++; return errors.New("not found") })
		const want = "timed out after 5s waiting for customresourcedefinition gones.example.com: not found"
		if err == nil || err.Error() != want || asked < 5 || time.Since(began) != previewPatience {
			t.Errorf("after %s, asked %d times: %v, want %s", time.Since(began), asked, err, want)
		}
	})
}
