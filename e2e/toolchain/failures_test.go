// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/toolchain"
)

// What goes wrong in an engine comes back as one error, with upstream's words.
func TestFailures(t *testing.T) {
	const version = newest
	e, err := toolchain.Open(t.Context(), version)
	require.NoError(t, err)
	const foo = "example.com/fixture/pkg/apis/foo/v1"
	deepCopy := toolchain.Generator{Name: "deepcopy-gen", Flags: []string{"--output-file", "zz.go"}, Inputs: []string{foo}}
	for name, c := range map[string]struct {
		added map[string]string // files, by path
		run   []toolchain.Generator
		want  string
	}{
		"unknown generator": {nil, []toolchain.Generator{{Name: "magic-gen", Flags: nil, Inputs: nil}}, "magic-gen v0.37.1: this version of code-generator has no such generator; pin a newer one in go.mod"},
		"unknown flag":      {nil, []toolchain.Generator{{Name: "deepcopy-gen", Flags: []string{"--magic"}, Inputs: []string{foo}}}, "deepcopy-gen v0.37.1: unknown flag: --magic"},
		"missing flag":      {nil, []toolchain.Generator{{Name: "lister-gen", Flags: nil, Inputs: []string{foo}}}, "lister-gen v0.37.1: --output-dir must be specified"},
		"no such package":   {nil, []toolchain.Generator{{Name: "deepcopy-gen", Flags: deepCopy.Flags, Inputs: []string{foo + "/nowhere"}}}, "cannot load the API packages:\n  no required module provides package example.com/fixture/pkg/apis/foo/v1/nowhere; to add it:"},
		"syntax error": {map[string]string{"pkg/apis/foo/v1/broken.go": "package v1\n\ntype X struct {\n"}, []toolchain.Generator{deepCopy},
			"cannot load the API packages:\n  pkg/apis/foo/v1/broken.go:3:17: expected ';', found 'EOF'"},
		"fatal": {map[string]string{"pkg/apis/foo/v1/bad.go": "package v1\n\n// +k8s:deepcopy-gen:interfaces=nowhere.Object\n\n// Bad is bad.\ntype Bad struct{ S []string }\n"}, []toolchain.Generator{deepCopy},
			"deepcopy-gen v0.37.1: failed executing generator: error(s) in \"nowhere\":"},
		"panic": {map[string]string{"pkg/apis/foo/v1/bad.go": "package v1\n\n// Bad is bad.\ntype Bad struct{ C chan int }\n"}, []toolchain.Generator{deepCopy},
			"deepcopy-gen v0.37.1: Hit an unsupported type 'chan int'"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := fixture(t, version)
			for path, content := range c.added {
				require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(content), 0o600))
			}
			files, _, err := e.Run(t.Context(), dir, nil, c.run)
			if err == nil || len(files) > 0 || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%d files, error:\n%v\nwant:\n%s", len(files), err, c.want)
			}
		})
	}

	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("enough")
		cancel(cause)
		_, _, err := e.Run(ctx, fixture(t, version), nil, []toolchain.Generator{deepCopy})
		assert.ErrorIs(t, err, cause)
	})
	t.Run("nothing", func(t *testing.T) {
		if files, _, err := e.Run(t.Context(), fixture(t, version), nil, nil); err != nil || len(files) > 0 {
			t.Errorf("%d files, error %v", len(files), err)
		}
	})
}
