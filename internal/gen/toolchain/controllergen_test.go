// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An engine has the files that compile with its version: until v0.3.0 generators hand their filters to the type checker, and those of
// schemas and of apply configurations came later.
func TestFitting(t *testing.T) {
	for _, c := range []struct {
		genall   string
		packages []string
		left     []string
	}{
		{"", nil, []string{"apply.go", "gengo/lender.go", "gengo/load.go", "gengo/parser.go", "host/apply.go", "host/check.go", "host/schemapatch.go"}},
		{"type NeedsTypeChecking interface", []string{"schemapatcher"}, []string{"apply.go", "gengo/lender.go", "gengo/load.go", "gengo/parser.go", "host/apply.go", "unfiltered/check.go"}},
		{"type NeedsTypeChecking interface", []string{"schemapatcher", "applyconfiguration"}, []string{"unfiltered/check.go"}},
	} {
		pkg := t.TempDir()
		for _, dir := range append(c.packages, "genall") {
			require.NoError(t, os.Mkdir(filepath.Join(pkg, dir), 0o700))
		}
		require.NoError(t, os.WriteFile(filepath.Join(pkg, "genall", "genall.go"), []byte("package genall\n"+c.genall), 0o600))
		files, err := fitting(pkg)
		require.NoError(t, err)
		left := map[string]string{}
		for _, f := range controllerGenFiles() {
			left[f.path] = string(f.content)
		}
		for _, f := range files {
			if f.path == "host/check.go" && c.genall == "" {
				assert.Equal(t, left["unfiltered/check.go"], string(f.content))
				delete(left, "unfiltered/check.go")
			} else {
				delete(left, f.path)
			}
		}
		var names []string
		for name := range left {
			names = append(names, name)
		}
		assert.ElementsMatch(t, c.left, names)
	}
}
