// SPDX-License-Identifier: Apache-2.0

package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// Edits are made in any order, keep line ends, and are refused as a whole where the file is no longer what was judged.
func TestFixes(t *testing.T) {
	root := t.TempDir()
	const before = "package v1\r\n\r\ntype A struct {\r\n\t// +optional\r\n\t// +optional\r\n\tX int32 `json:\"x,omitempty\"`\r\n\tY int32 `json:\"y\"`\r\n}\r\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "types.go"), []byte(before), 0o600))
	find := func(e rule.Edit) rule.Finding {
		f := rule.New("optionalorrequired", rule.Place{File: "types.go", Line: e.Line}, "A", "m")
		f.Edit = &e
		return f
	}
	remove, insert := find(rule.Edit{Line: 5, Has: "+optional"}), find(rule.Edit{Line: 7, Has: "Y", Insert: "// +required"})
	changes, err := Fixes(root, []rule.Finding{remove, insert, insert, rule.New("nofloats", rule.Place{File: "other.go"}, "B", "m")})
	require.NoError(t, err)
	require.Len(t, changes, 1)
	assert.Equal(t, before, string(changes[0].Old))
	assert.Equal(t, "package v1\r\n\r\ntype A struct {\r\n\t// +optional\r\n\tX int32 `json:\"x,omitempty\"`\r\n\t// +required\r\n\tY int32 `json:\"y\"`\r\n}\r\n", string(changes[0].New))

	// Above a type on one line, a marker would be that of the type.
	const line = "package v1\n\ntype A struct{ B string }\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "types.go"), []byte(line), 0o600))
	changes, err = Fixes(root, []rule.Finding{find(rule.Edit{Line: 3, Has: "B", Insert: "// +required"})})
	require.NoError(t, err)
	assert.Empty(t, changes)

	require.NoError(t, os.WriteFile(filepath.Join(root, "types.go"), []byte(before), 0o600))
	for _, stale := range []rule.Edit{{Line: 6, Has: "Y", Insert: "// +required"}, {Line: 99, Has: "Y"}} {
		_, err = Fixes(root, []rule.Finding{remove, find(stale)})
		assert.ErrorContains(t, err, "changed during the command")
	}
}
