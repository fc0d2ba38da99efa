package fieldstest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// wide has every type and every rule at least once.
func wide(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../testdata/wide.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// The API server takes what is made of the widest set of fields: the CRD, and the sample.
func TestSampleIsValid(t *testing.T) {
	w := newWorld(t, wide(t)...)
	if said := w.refused(t, w.sample); said != "" {
		t.Errorf("%s\n%s\n%s", said, w.read(t, "config/samples/widget.yaml"), w.types)
	}
	// The judge judges: a sample without what is required is not let through.
	delete(w.sample.Object["spec"].(map[string]any), "image")
	if w.refused(t, w.sample) == "" {
		t.Error("a sample without the required image is taken")
	}
}

// What is made of the widest set of fields compiles, with everything that is generated of it.
func TestCodeCompiles(t *testing.T) {
	w := newWorld(t, append(wide(t), "quotas:[]object:default=[{name: a}]:listMapKey=name", "quotas[].name:string:required", "type:string",
		"list.a:string", "applyConfiguration.x:string", "iPs[].a:string", "ips.b:string", "range.func:enum(go,if)", "objectMeta:string", "string:string")...)
	cmd := exec.CommandContext(t.Context(), "go", "vet", "./pkg/...")
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
