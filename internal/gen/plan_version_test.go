package gen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/config"
)

// TestFlagsOfVersions holds the plan to the flags that the programs of a version know.
func TestFlagsOfVersions(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":           "module example.com/m\n",
		"apis/g/v1/doc.go": "// +k8s:deepcopy-gen=package\n// +k8s:validation-gen=TypeMeta\n// +k8s:openapi-gen=true\npackage v1\n\n// +genclient\ntype A struct{}\n",
		"apis/g/v2/doc.go": "// +k8s:openapi-model-package=x\npackage v2\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		version              string
		validation, readOnly bool
		openAPI              int // packages that openapi-gen reads
	}{
		{"v0.31.2", false, false, 4},
		{"v0.34.5", true, false, 4},
		{"v0.35.2", true, false, 6},
		{"v0.37.1", true, true, 6},
	} {
		t.Run(test.version, func(t *testing.T) {
			p := &config.Project{APIs: []string{"apis"}, Clients: []config.Client{{Dir: "client"}}, CodeGeneratorVersion: test.version}
			p.OpenAPI.Dir = "openapi"
			if err := p.Complete("test"); err != nil {
				t.Fatal(err)
			}
			plan, err := NewPlan(root, p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			validation := false
			for _, g := range plan.Generators {
				validation = validation || g.Name == "validation-gen"
				readOnly := slices.Contains(g.Flags, "--readonly-pkg")
				if want := test.readOnly && (g.Name == "openapi-gen" || g.Name == "validation-gen"); readOnly != want {
					t.Errorf("%s has --readonly-pkg: %v, want %v", g.Name, readOnly, want)
				}
				if all := strings.Join(g.Flags, " "); strings.Contains(all, "protobuf") || strings.Contains(all, "model-name") {
					t.Errorf("%s has flags without need: %s", g.Name, all)
				}
				if g.Name == "openapi-gen" && len(g.Inputs) != test.openAPI {
					t.Errorf("openapi-gen reads %v, want %d packages", g.Inputs, test.openAPI)
				}
			}
			if validation != test.validation {
				t.Errorf("validation-gen runs: %v, want %v", validation, test.validation)
			}
		})
	}
}
