// SPDX-License-Identifier: Apache-2.0

// Package scaffold builds what crdctl makes for its users: projects of every shape, and crdctl itself from a module proxy.
package scaffold

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/templates"
)

// Every shape of project compiles, pleases vet, passes its own tests, and requires the modules that it imports.
func TestProjectsBuild(t *testing.T) {
	api := func(o scaffold.APIOptions) *scaffold.API {
		t.Helper()
		a, err := scaffold.NewAPI(o)
		require.NoError(t, err)
		return a
	}
	second := func(a *scaffold.API) *scaffold.API {
		a.TypesFile = a.Singular + "_types"
		return a
	}
	crontab := scaffold.APIOptions{Group: "stable.example.com", Version: "v1beta1", Kind: "CronTab", Fields: []string{"cronSpec:string", "image:string", "replicas:int32"}}
	for name, p := range map[string]*scaffold.Project{
		"plain": {APIs: []*scaffold.API{api(crontab)}},
		"cluster-scoped, no status": {APIs: []*scaffold.API{api(scaffold.APIOptions{
			Group: "foo-bar.k8s.io", Version: "v1", Kind: "IPPool", Scope: "cluster", NoStatus: true, Plural: "poolsofip",
		})}},
		"owns a Deployment": {APIs: []*scaffold.API{api(scaffold.APIOptions{
			Group: "samplecontroller.k8s.io", Version: "v1alpha1", Kind: "Foo", Owns: []string{"apps/v1/Deployment"},
			Fields: []string{"deploymentName:string", "replicas:int32"},
		})}},
		"owns all that can be owned": {APIs: []*scaffold.API{
			api(scaffold.APIOptions{Group: "a.example.com", Version: "v1", Kind: "Thing", Fields: []string{"replicas:int32", "image:string"}, Owns: namespacedOwnable()}),
			second(api(scaffold.APIOptions{Group: "a.example.com", Version: "v1", Kind: "Wide", Scope: "Cluster", NoStatus: true, Owns: []string{"v1/Namespace", "v1/ConfigMap", "apps/v1/DaemonSet"}})),
		}},
		"two kinds with webhooks, one cluster-scoped": {ClientDir: "pkg/generated", APIs: []*scaffold.API{
			api(scaffold.APIOptions{Group: "examplecontroller.example.com", Version: "v1", Kind: "TestType", Defaulting: true}),
			second(api(scaffold.APIOptions{Group: "examplecontroller.example.com", Version: "v1", Kind: "ClusterTestType", Scope: "Cluster", Defaulting: true, Validation: true})),
		}},
		"main package elsewhere": {Main: "cmd/crontab", APIs: []*scaffold.API{api(crontab)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.Module, p.Folder = "example.com/x", "."
			if p.Main == "" {
				p.Main = "."
			}
			if p.ClientDir == "" {
				p.ClientDir = "pkg/client"
			}
			dir := t.TempDir()
			write(t, dir, p)
			// Without the directory in what is compiled, the projects share what the go command has in its cache.
			steps := [][]string{{"vet", "-trimpath", "./..."}, {"vet", "-trimpath", "-tags", "e2e", "./e2e"}, {"test", "-trimpath", "-vet=off", "./..."}}
			if name == "plain" || strings.Contains(name, "webhooks") || name == "owns all that can be owned" { // the others import what these import
				steps = append(steps, []string{"mod", "tidy", "-diff"})
			}
			for _, args := range steps {
				cmd := exec.CommandContext(t.Context(), "go", args...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "go %v: %v\n%s", args, err, out)
			}
		})
	}
}

// write makes a project in a directory, with all that is generated for it.
func write(t *testing.T, dir string, p *scaffold.Project) {
	t.Helper()
	files, err := p.Render(templates.FS)
	require.NoError(t, err)
	wiring, err := p.Wiring(templates.FS)
	require.NoError(t, err)
	require.NoError(t, files.AddAll(wiring))
	gentest.Write(t, dir, files)
	result, err := gen.Generate(t.Context(), dir, gentest.Settings(t, dir), gen.Options{Year: 2026})
	require.NoError(t, err)
	gentest.Write(t, dir, result.Tree)
	assert.FileExists(t, filepath.Join(dir, "config/rbac/role.yaml"))
}

func namespacedOwnable() []string {
	var names []string
	for _, name := range scaffold.Ownable() {
		if _, err := scaffold.ParseOwned([]string{name}, true); err == nil {
			names = append(names, name)
		}
	}
	return names
}
