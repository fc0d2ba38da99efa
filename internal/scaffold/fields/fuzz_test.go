// SPDX-License-Identifier: Apache-2.0

package fields_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
			named(t, err)
			return
		}
		goOf(t, set, set.SpecFields(), set.StatusFields(), set.Types())
		var sample map[string]any
		require.NoError(t, yaml.UnmarshalStrict([]byte("spec:\n"+set.Sample(2)), &sample), set.Sample(2))
		for _, c := range set.Columns() {
			require.NotEmpty(t, c.Name)
			require.NotContains(t, c.JSONPath+c.Name, "\n")
		}
		set.Imports()
	})
}
