// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/tree"
)

// A file that a script changes stays as it is, also if it does not compile: that is no error of what is generated.
func TestTypeCheckOfChangedFile(t *testing.T) {
	const file = "pkg/client/clientset/versioned/typed/a/v1/fake/fake_alpha.go"
	root := leafy.Lay(t)
	check := func(p *config.Project) (*Result, error) {
		r, err := Generate(t.Context(), root, p, Options{Year: 2026})
		require.NoError(t, err)
		changes, err := r.Tree.Diff(root)
		require.NoError(t, err)
		_, err = r.TypeCheck(t.Context(), changes)
		require.NoError(t, tree.Write(root, changes))
		return r, err
	}
	settings := gentest.Settings(t, root)
	r, err := check(settings)
	require.NoError(t, err)
	made, ok := r.Tree.Content(file)
	require.True(t, ok)

	safefstest.WriteFiles(t, root, map[string]string{file: string(made) + "\nfunc Finalize() { missing() }\n"})
	settings.ControllerGen.PostProcessed = []config.PostProcessed{{Path: file, By: "hack/fix.sh:3: cat"}}
	r, err = check(settings)
	require.NoError(t, err)
	require.Len(t, r.NotCompared, 1)
	assert.Equal(t, []string{file}, r.NotCompared[0].Paths)
}
