// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/config"
)

func TestPlaces(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/places.txtar")
	require.NoError(t, err)
	root, want := t.TempDir(), ""
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, f.Data, 0o644))
	}
	settings, err := config.Load(root)
	require.NoError(t, err)
	p, err := project.Open(root, settings)
	require.NoError(t, err)
	require.Len(t, p.CRDs, 2)
	found, err := preflight.Check(t.Context(), p.CRDs)
	require.NoError(t, err)
	var got []string
	for i, line := range checktest.Lines(found) {
		got = append(got, line)
		if fix := found[i].Fix; fix != "" {
			got = append(got, "    "+fix)
		}
	}
	assert.Equal(t, want, strings.Join(got, "\n")+"\n")
}
