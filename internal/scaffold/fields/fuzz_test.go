package fields_test

import (
	"go/format"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

// What passes makes Go that gofmt takes, comments that stay comments, and a sample that is YAML. Fields are lines.
func FuzzParse(f *testing.F) {
	f.Add(strings.TrimSpace(wideText), true)
	for _, line := range wide() {
		f.Add(line, true) // alone, so that a change of a few letters is likely to pass
	}
	for _, r := range refusals {
		f.Add(strings.ReplaceAll(r, " | ", "\n"), true)
	}
	f.Add("a:string:desc=*/ `x` +k8s:deepcopy-gen=false", false)
	f.Add("type.func.go[].map:[]string\nstatus.range:enum(for,if)", true)
	f.Fuzz(func(t *testing.T, lines string, status bool) {
		set, err := fields.Parse(strings.Split(lines, "\n"), fields.Options{Kind: "Widget", Status: status})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "--field ") {
					t.Errorf("the line %q does not name the --field", line)
				}
			}
			return
		}
		code := "package v1\n\ntype WidgetSpec struct {\n" + set.SpecGo() + "}\n\ntype WidgetStatus struct {\n" + set.StatusGo() + "}\n" + set.TypesGo()
		if _, err := format.Source([]byte(code)); err != nil {
			t.Errorf("%v in\n%s", err, code)
		}
		for line := range strings.SplitSeq(set.SpecGo(), "\n") {
			line = strings.TrimSpace(line)
			if text, ok := strings.CutPrefix(line, "// +"); ok && !known(text) {
				t.Errorf("the comment %q is a marker", line)
			}
		}
		var sample map[string]any
		if err := yaml.UnmarshalStrict([]byte("spec:\n"+set.Sample(2)), &sample); err != nil {
			t.Errorf("%v in\n%s", err, set.Sample(2))
		}
		for _, c := range set.Columns() {
			if c.Name == "" || c.Name != "Ready" && strings.ContainsAny(c.JSONPath+c.Name, "\"\n") {
				t.Errorf("column %+v", c)
			}
		}
		set.Imports()
	})
}

// known tells whether a marker is one that fields get.
func known(marker string) bool {
	for _, m := range []string{"kubebuilder:validation:", "listType=", "listMapKey=", "default=", "nullable", "required", "optional"} {
		if strings.HasPrefix(marker, m) {
			return true
		}
	}
	return false
}
