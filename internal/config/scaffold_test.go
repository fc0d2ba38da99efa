// SPDX-License-Identifier: Apache-2.0

package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var record = &Scaffold{
	Templates: 1,
	APIs:      []ScaffoldedAPI{{Group: "stable.example.com", Version: "v1", Kind: "CronTab", Plural: "crontabs", Singular: "crontab", ShortNames: []string{"ct"}, Scope: "Namespaced", Fields: []string{`image:string:pattern="a: b"`}}},
}

// The section is replaced where it is, and everything else stays byte for byte.
func TestPutScaffold(t *testing.T) {
	for name, in := range map[string]string{
		"new":               head + "apis: [pkg/apis] # mine\n\n# the end\n",
		"no newline at end": head + "apis:   [pkg/apis]",
		"older comment":     head + "apis: [pkg/apis]\n" + scaffoldWriters + "it, and nothing above it.\nscaffold:\n  templates: 7\n  apis: []\n",
		"replaced":          head + "apis: [pkg/apis]\n" + scaffoldComment + "scaffold:\n  templates: 7\n  apis: []\n",
		"in the middle":     head + "scaffold: {templates: 7, apis: []}\n\n# about APIs\napis: [pkg/apis]\n",
	} {
		t.Run(name, func(t *testing.T) {
			rest, err := CutScaffold([]byte(in))
			require.NoError(t, err)
			assert.NotContains(t, string(rest), "scaffold", "cut")
			for line := range strings.Lines(in) {
				if line = strings.TrimSpace(line); !strings.Contains(line, "scaffold") && !strings.Contains(string(rest), line) &&
					!strings.Contains("templates: 7 apis: []", line) && !strings.HasPrefix(line, scaffoldWriters) {
					t.Errorf("%q is lost in\n%s", line, rest)
				}
			}
			out, err := PutScaffold([]byte(in), record)
			require.NoError(t, err)
			kept, err := CutScaffold(out)
			require.NoError(t, err, "what was there is not as it was: %s", out)
			assert.Equal(t, strings.TrimSuffix(string(rest), "\n"), strings.TrimSuffix(string(kept), "\n"), "what was there is not as it was: %s", out)
			if before, _, _ := strings.Cut(string(out), "scaffold:"); name == "in the middle" && strings.Contains(before, "# about APIs") {
				t.Errorf("the section moved:\n%s", out)
			}
			p, err := Parse(FileName, out)
			require.NoError(t, err)
			if got := p.Scaffold.APIs[0].Fields[0]; got != record.APIs[0].Fields[0] || p.Scaffold.Templates != 1 || p.APIs[0] != "pkg/apis" {
				t.Errorf("%+v", p.Scaffold)
			}
			assert.Equal(t, 1, strings.Count(string(out), scaffoldWriters), "comments")
			again, err := PutScaffold(out, record)
			require.NoError(t, err, "a second time")
			assert.Equal(t, string(out), string(again), "a second time")
		})
	}
}

func TestPutScaffoldRefuses(t *testing.T) {
	for name, in := range map[string]string{
		"in braces":      "{apiVersion: crdctl.dev/v1alpha1, kind: Project, scaffold: {templates: 1, module: a, apis: []}}\n",
		"not YAML":       "a: [\n",
		"several":        head + "---\n" + head,
		"unknown fields": head + "bogus: 1\n",
	} {
		out, err := PutScaffold([]byte(in), record)
		assert.Error(t, err, "%s: no error, but\n%s", name, out)
	}
}
