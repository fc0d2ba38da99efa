// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestVersionFor(t *testing.T) {
	const head = "module example.com/m\n\ngo 1.26\n\n"
	for name, c := range map[string]struct {
		mod, api, setting string
		want              string
		builtIn           bool
	}{
		"nothing pins":              {mod: head, want: "code-generator " + codegen.Version, builtIn: true},
		"go.mod pins":               {mod: head + "require k8s.io/code-generator v0.35.2\n", want: "code-generator v0.35.2 (go.mod:5)"},
		"go.mod pins the same":      {mod: head + "require k8s.io/code-generator v0.37.0\n", want: "code-generator v0.37.0 (go.mod:5)", builtIn: true},
		"go.mod replaces":           {mod: head + "require k8s.io/code-generator v0.36.0\nreplace k8s.io/code-generator => k8s.io/code-generator v0.34.1\n", want: "code-generator v0.34.1 (go.mod:6)"},
		"a commit is no release":    {mod: head + "require k8s.io/code-generator v0.0.0-20260101000000-0123456789ab\n", want: "code-generator " + codegen.Version, builtIn: true},
		"a pre-release":             {mod: head + "require k8s.io/code-generator v0.37.0-rc.0\n", want: "code-generator v0.37.0-rc.0 (go.mod:5)"},
		"an old client-go":          {mod: head + "require k8s.io/client-go v0.33.5\n", want: "code-generator v0.33.5 (for client-go, go.mod:5)"},
		"the last old client-go":    {mod: head + "require k8s.io/client-go v0.36.1\n", want: "code-generator v0.36.1 (for client-go, go.mod:5)"},
		"a client-go that is fine":  {mod: head + "require k8s.io/client-go v0.37.0\n", want: "code-generator " + codegen.Version, builtIn: true},
		"the settings come first":   {mod: head + "require k8s.io/code-generator v0.35.2\n", setting: "v0.36.4", want: "code-generator v0.36.4 (the settings)"},
		"the module of the APIs is": {mod: head + "require k8s.io/code-generator v0.35.2\n", api: head + "require k8s.io/code-generator v0.34.1\n", want: "code-generator v0.34.1 (api/go.mod:5)"},
		"the module around that":    {mod: head + "require k8s.io/code-generator v0.35.2\n", api: head + "require k8s.io/api v0.34.1\n", want: "code-generator v0.35.2 (go.mod:5)"},
		"a client-go nearer":        {mod: head + "require k8s.io/client-go v0.35.2\n", api: head + "require k8s.io/client-go v0.37.0\n", want: "code-generator " + codegen.Version, builtIn: true},
		"a word of a later Go":      {mod: head + "require k8s.io/code-generator v0.35.2\n\nlater (\n\tword\n)\n", want: "code-generator v0.35.2 (go.mod:5)"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			safefstest.WriteFiles(t, root, map[string]string{"go.mod": c.mod, "api/v1/types.go": "package v1\n"})
			if c.api != "" {
				safefstest.WriteFiles(t, root, map[string]string{"api/go.mod": c.api})
			}
			got, err := VersionFor(root, &config.Project{APIs: []string{"api"}, CodeGeneratorVersion: c.setting})
			if err != nil || got.String() != c.want || got.BuiltIn() != c.builtIn {
				t.Errorf("%s, built in: %v, %v; want %s", got, got.BuiltIn(), err, c.want)
			}
		})
	}
}

// A go.mod of which not every line is understood is read all the same, unless it may say another version there.
func TestVersionForOfTornGoMod(t *testing.T) {
	for mod, want := range map[string]string{
		"module example.com/m\n\nlater word\nrequire k8s.io/code-generator v0.35.2\nreplace k8s.io/code-generator => k8s.io/code-generator v0.34.1\n": "go.mod:3: unknown directive: later",
		"module example.com/m\n\nlater word\nreplace (\n\tk8s.io/client-go v0.33.5 => ../client-go\n)\n":                                              "go.mod:3: unknown directive: later",
		"module example.com/m\n\nrequire (\n": "go.mod:4",
	} {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, map[string]string{"go.mod": mod})
		got, err := VersionFor(root, &config.Project{})
		assert.ErrorContains(t, err, want, "%s", got)
	}
}
