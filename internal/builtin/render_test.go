package builtin

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRenderShowsADiffAndWritesNothing(t *testing.T) {
	b := newBed(t)
	b.api.At("/api/v1/namespaces/default/configmaps").Answer(nil)
	b.writes.Asked()
	sketch, err := ReadSketch("-", strings.NewReader("apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := Render(t.Context(), b.Options, sketch); err != nil {
		t.Fatal(err)
	}
	want := `--- /dev/null
+++ ConfigMap default/a (then)
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
	if got := b.out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	for _, r := range b.writes.Asked() {
		if r.Method != http.MethodGet && r.Query.Get("dryRun") != "All" {
			t.Errorf("%s %s was no try", r.Method, r.Path)
		}
	}
}

func TestRenderRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":             "standard input: there is no object with a metadata.name in it; --render takes one, as YAML or JSON",
		"a: [":         "--render takes one object, as YAML or JSON",
		"metadata: {}": "standard input: there is no object with a metadata.name in it; --render takes one, as YAML or JSON",
		"kind: Bar\napiVersion: example.com/v1\nmetadata: {name: a}": "standard input: example.com/v1 Bar is no kind of this loop; there is example.com/v1 Foo",
	} {
		b := newBed(t)
		sketch, err := ReadSketch("-", strings.NewReader(in))
		if err == nil {
			err = Render(t.Context(), b.Options, sketch)
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

func TestRenderWaitsForAWhile(t *testing.T) {
	for want, change := range map[string]func(*bed){
		"waited 5s for customresourcedefinition gones.example.com: ": func(b *bed) { b.CRDNames = []string{"gones.example.com"} },
		"waited 5s for the API server to serve v1/Gone: ":            func(b *bed) { b.Loop.Owns = []string{"v1/Gone"} },
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBed(t)
			change(b)
			sketch := &Sketch{from: "foo.yaml", content: map[string]any{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": map[string]any{"name": "a"}}}
			if err := Render(t.Context(), b.Options, sketch); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s…", err, want)
			}
		})
	}
}
