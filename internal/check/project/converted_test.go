// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/config"
)

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.stable.example.com}
spec:
  group: stable.example.com
  scope: Namespaced
  names: {kind: CronTab, listKind: CronTabList, plural: crontabs, singular: crontab}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

// A conversion webhook is one of controller-runtime, with functions of the types or a converter, or one that answers reviews itself; tests have none.
func TestConverted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		want       bool
	}{
		"nothing":           {"main.go", "package main\n", false},
		"a hub":             {"api/v1/conversion.go", "package v1\n\nfunc (*CronTab) Hub() {}\n", true},
		"a converter":       {"cmd/main.go", "package main\n\nvar _ = b.For(&v1.CronTab{}).WithConverter(c)\n", true},
		"that of another":   {"cmd/main.go", "package main\n\nvar _ = b.For(&v1.Job{}).WithConverter(c)\n", false},
		"reviews":           {"pkg/webhook/convert.go", "package webhook\n\nvar review v1.ConversionReview\n", true},
		"reviews of a test": {"pkg/webhook/convert_test.go", "package webhook\n\nvar review v1.ConversionReview\n", false},
		"a dependency":      {"vendor/a/convert.go", "package a\n\nvar review v1.ConversionReview\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, text := range map[string]string{
				"go.mod": "module example.com/a\n", "crds/crd.yaml": definition, c.file: c.text,
				"api/v1/types.go": "// +groupName=stable.example.com\npackage v1\n\n// +kubebuilder:object:root=true\ntype CronTab struct{}\n",
			} {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o600))
			}
			p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
			require.NoError(t, err)
			require.Len(t, p.CRDs, 1)
			assert.Equal(t, c.want, p.CRDs[0].Converted())
		})
	}
}

// Knative's webhook is told the kinds when it runs: it may change those of the project. A file without the module's call has none.
func TestMutatedByKnative(t *testing.T) {
	t.Parallel()
	mutates := func(module, text string) bool {
		root := t.TempDir()
		for name, data := range map[string]string{"go.mod": module, "crds/crontabs.yaml": definition, "pkg/webhook/webhook.go": "package webhook\n\n" + text} {
			file := filepath.Join(root, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(data), 0o600))
		}
		p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
		require.NoError(t, err)
		assert.False(t, p.CRDs[0].Converted())
		return p.Mutates("stable.example.com", "crontabs")
	}
	const module, call = "module example.com/a\n\nrequire knative.dev/pkg v0.0.1\n", "var _ = defaulting.NewAdmissionController(ctx, name, path, types, with, true)\n\nvar _ = &v1.CronTab{}\n"
	assert.True(t, mutates(module, call))
	assert.False(t, mutates(module, "var _ = validation.NewAdmissionController(ctx, name, path, types, with, true)\n"))
	assert.False(t, mutates("module example.com/a\n", call), "another package of that name")
}
