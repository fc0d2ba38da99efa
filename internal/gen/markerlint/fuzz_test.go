// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// Whatever stands in a comment, Check does not fail, and each finding about a tag points to its plus.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"+genclient", "+genclient:nonNamespace", "+ genclient", "+genclient:method=X,verb=", "+genclient:onlyVerbs=get, list",
		"+k8s:deepcopy-gen:package", "+k8s:deepcopy-gen = package", "+k8s:alpha(since: \"1.35\")=+k8s:minimum=1", "+kubebuilder:printcolumn:name=\"A\"",
		"+kubebuilder:validation:=Required", "+kubebuilder:", "+kubebuilder:validation:Enum={", "+groupname=x", "+resourceName", "+", "", "\t+genclient", "+genclient:é",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\r\n") {
			return
		}
		src := "// " + line + "\n\n// " + line + "\npackage v1\n\n// " + line + "\n\n// " + line + "\ntype A struct {\n\tmetav1.TypeMeta\n\t// " + line +
			"\n\tB int // " + line + "\n}\n\n// " + line + "\nfunc f() {\n\t// " + line + "\n}\n"
		lines := strings.Split(src, "\n")
		for _, name := range []string{"a.go", "doc.go"} {
			root := t.TempDir()
			safefstest.WriteFiles(t, root, map[string]string{name: src})
			found, err := Check(root, []string{"."}, Families{Gengo: true, Kubebuilder: true, Fields: true})
			require.NoError(t, err)
			for _, finding := range found {
				if at := lines[finding.Line-1]; finding.Col > len(at) || at[finding.Col-1] != '+' {
					t.Errorf("%s does not point to a plus: %q", finding, at)
				}
			}
		}
	})
}
