// SPDX-License-Identifier: Apache-2.0

package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/lint"
)

// Packages that import each other are left out, with the places of the imports and a hint; others are judged.
func TestImportCycle(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/m\n\ngo 1.24\n",
		"api/aa/types.go": "// +groupName=aa.example.com\npackage aa\n\nimport \"example.com/m/api/bb\"\n\n// A is one.\ntype A struct {\n\tB *bb.B\n}\n",
		"api/bb/types.go": "// +groupName=bb.example.com\npackage bb\n\nimport \"example.com/m/api/aa\"\n\n// B is one.\ntype B struct {\n\tA *aa.A\n}\n",
		"api/cc/types.go": "// +groupName=cc.example.com\npackage cc\n\ntype TypeMeta struct{}\n\ntype ObjectMeta struct{}\n\n// C is one.\n// +kubebuilder:object:root=true\n" +
			"type C struct {\n\tTypeMeta   `json:\",inline\"`\n\tObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +required\n\tSpec CSpec `json:\"spec\"`\n}\n\n" +
			"// CSpec is one.\ntype CSpec struct {\n\t// IsPaused pauses it.\n\t// +optional\n\tIsPaused bool `json:\"isPaused,omitempty\"`\n}\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	r, err := lint.Check(t.Context(), lint.Source{Root: root, Dirs: []string{"api/aa", "api/bb", "api/cc"}})
	require.NoError(t, err)
	require.EqualError(t, r.Uncompiled, `cannot load the API packages:
  import cycle not allowed:
  api/aa/types.go:4:8: example.com/m/api/aa imports example.com/m/api/bb
  api/bb/types.go:4:8: example.com/m/api/bb imports example.com/m/api/aa
move what both packages need into a third one
packages that need example.com/m/api/aa, and are not judged: api/aa, api/bb`)
	require.Contains(t, strings.Join(checktest.Lines(r.Findings), "\n"), "api/cc/types.go:22:2: bool-prefix: field CSpec.IsPaused begins with is")
}

// Of many packages that lack the same import, some are named.
func TestManyLeftOut(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write("go.mod", "module example.com/m\n\ngo 1.24\n")
	var dirs []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		dirs = append(dirs, "api/"+name)
		write("api/"+name+"/types.go", "// +groupName="+name+".example.com\npackage "+name+"\n\nimport \"example.com/m/missing\"\n\n// T is one.\ntype T struct {\n\tM missing.M\n}\n")
	}
	r, err := lint.Check(t.Context(), lint.Source{Root: root, Dirs: dirs})
	require.NoError(t, err)
	require.ErrorContains(t, r.Uncompiled, "\npackages that need example.com/m/missing, and are not judged: api/a, api/b, api/c, api/d, api/e and 2 more")
}
