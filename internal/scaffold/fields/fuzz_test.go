package fields_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

// What passes, as it is or translated, makes Go that gofmt takes, comments that stay comments, and a sample that is YAML. Fields are lines.
func FuzzParse(f *testing.F) {
	f.Add(strings.TrimSpace(wideText), true)
	for _, line := range wide() {
		f.Add(line, true) // alone, so that a change of a few letters is likely to pass
	}
	for _, r := range refusals {
		f.Add(strings.ReplaceAll(r, " | ", "\n"), true)
	}
	f.Add("a:string:+custom=*/ `x` :+k8s:b", false)
	f.Add("type.func.go[].map:[]string\nstatus.range:enum(for,if)", true)
	f.Fuzz(func(t *testing.T, lines string, status bool) {
		args := strings.Split(lines, "\n")
		for i, arg := range args {
			args[i] = fields.Translate(arg)
		}
		set, err := fields.Parse(args, fields.Options{Kind: "Widget", Status: status})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "--field ") {
					t.Errorf("the line %q does not name the --field", line)
				}
			}
			return
		}
		goOf(t, set)
		var sample map[string]any
		if err := yaml.UnmarshalStrict([]byte("spec:\n"+set.Sample(2)), &sample); err != nil {
			t.Errorf("%v in\n%s", err, set.Sample(2))
		}
		for _, c := range set.Columns() {
			if c.Name == "" || strings.ContainsAny(c.JSONPath+c.Name, "\n") {
				t.Errorf("column %+v", c)
			}
		}
		set.Imports()
	})
}
