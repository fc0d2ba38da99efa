// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
)

// What a generator in an engine made counts as long as the packages that it reads are the same, with what these import.
func TestKeptEngine(t *testing.T) {
	root, store := gentest.Fixture{Archive: "testdata/targets.txtar"}.Lay(t), cache.At(t.TempDir(), 1<<30)
	one := codegen.Generator{Name: "validation-gen", Flags: []string{"--output-file", "zz_generated.validations.go"}, Inputs: []string{"example.com/fixture/pkg/apis/a/v1"}}
	other := codegen.Generator{Name: "conversion-gen", Inputs: one.Inputs}
	run := func() *generation {
		g, err := newGeneration(t.Context(), root, gentest.Settings(t, root), Options{Results: store})
		require.NoError(t, err)
		return g
	}
	g := run()
	_, err := g.load(t.Context(), g.plan.Load)
	require.NoError(t, err)
	mine := codegen.File{Path: filepath.Join(root, "pkg/apis/a/v1/zz_generated.validations.go"), Content: []byte("package v1\n"), Generator: one.Name}
	g.noteEngine([]codegen.Generator{one, other}, []codegen.File{mine,
		{Path: filepath.Join(root, "pkg/apis/b/v1/zz_generated.validations.go"), Generator: one.Name},
		{Path: filepath.Join(root, "pkg/apis/a/v1/zz_generated.conversion.go"), Generator: other.Name},
	}, nil)
	require.NoError(t, g.keepEngine())

	for _, step := range []struct {
		name, file, more string
		kept             bool
	}{
		{"nothing", "README.md", "# More\n", true},
		{"another package", "pkg/apis/b/v1/types.go", "\n// More.\n", true},
		{"what it imports", "pkg/leaves/leaves.go", "\n// More.\n", false},
		{"the package", "pkg/apis/a/v1/types.go", "\n// More.\n", false},
	} {
		name := filepath.Join(root, filepath.FromSlash(step.file))
		before, _ := os.ReadFile(name)
		require.NoError(t, os.WriteFile(name, append(before, step.more...), 0o600))
		files, rest := run().keptEngine([]codegen.Generator{one, other})
		if step.kept {
			assert.Equal(t, []codegen.File{mine}, files, step.name)
			assert.Equal(t, []codegen.Generator{other}, rest, step.name)
		} else {
			assert.Empty(t, files, step.name)
			assert.Equal(t, []codegen.Generator{one, other}, rest, step.name)
		}
		require.NoError(t, os.WriteFile(name, before, 0o600))
	}
	one.Flags = append(one.Flags, "--readonly-pkg", "example.com/fixture/pkg/leaves")
	files, _ := run().keptEngine([]codegen.Generator{one})
	assert.Empty(t, files, "other flags")
}
