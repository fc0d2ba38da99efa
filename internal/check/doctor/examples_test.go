// SPDX-License-Identifier: Apache-2.0

package doctor_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/doctor"
	"github.com/crdctl/crdctl/internal/check/doctor/machine"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/config"
)

// judge writes the files of an example, and looks at them.
func judge(t *testing.T, text string) []rule.Finding {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	example := txtar.Parse([]byte(text))
	o := doctor.Options{Root: root, Kubernetes: "v0.37.1", Deep: strings.Contains(string(example.Comment), "--deep")}
	for _, f := range example.Files {
		switch f.Name {
		case "machine.yaml":
			require.NoError(t, yaml.UnmarshalStrict(f.Data, &o.Machine))
			continue
		case "cluster.yaml":
			o.Cluster = cluster(f.Data)
			continue
		case "go.mod":
			if o.Deep {
				f.Data = append(bytes.Clone(f.Data), modules(t)...)
			}
		}
		write(t, root, f)
	}
	o.Project, err = project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "config/crd/bases"}})
	require.NoError(t, err)
	found, err := doctor.Check(t.Context(), o)
	require.NoError(t, err)
	return found.Findings
}

func write(t *testing.T, root string, f txtar.File) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(f.Name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, f.Data, 0o600))
}

// modules writes the modules that controllers import, and returns the lines of go.mod that lead to them.
func modules(t *testing.T) (lines string) {
	t.Helper()
	all, err := txtar.ParseFile(filepath.Join("testdata", "modules.txtar"))
	require.NoError(t, err)
	dir := t.TempDir()
	for _, f := range all.Files {
		write(t, dir, f)
		if name, ok := strings.CutSuffix(f.Name, "/go.mod"); ok {
			lines += fmt.Sprintf("require %s v0.0.0\nreplace %[1]s => %s\n", name, filepath.ToSlash(filepath.Join(dir, name)))
		}
	}
	return lines
}

// cluster has the CRDs of a manifest.
type cluster []byte

func (c cluster) CRD(_ context.Context, name string) ([]byte, error) {
	for _, text := range strings.Split(string(c), "\n---\n") {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil || strings.Contains(text, "name: "+name) {
			return data, err
		}
	}
	return nil, nil
}

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Doctor, 1, func(t *testing.T, example []rule.Block) []rule.Finding { return judge(t, example[0].Text) })
}

// Outside of any module, the machine is looked at.
func TestOutside(t *testing.T) {
	found, err := doctor.Check(t.Context(), doctor.Options{Machine: &machine.Machine{Taken: []int{8080}}})
	require.NoError(t, err)
	require.Equal(t, "this machine", found.Judged)
	require.Len(t, found.Findings, 2)
}

// Without a go command, what has Go files is in trouble; a chart is not.
func TestGoMissing(t *testing.T) {
	for file, want := range map[string]rule.Severity{"go.mod": rule.Error, "Chart.yaml": rule.Note} {
		root := t.TempDir()
		write(t, root, txtar.File{Name: file, Data: []byte("module example.com/m\n")})
		found, err := doctor.Check(t.Context(), doctor.Options{Root: root, Machine: &machine.Machine{}})
		require.NoError(t, err)
		require.NotEmpty(t, found.Findings)
		require.Equal(t, "go-missing", found.Findings[0].Rule.ID)
		require.Equal(t, want, found.Findings[0].Severity, file)
	}
}

// What a cluster answers instead of a CRD is an error, and not a verdict.
func TestOtherAnswer(t *testing.T) {
	root := t.TempDir()
	crd := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: tabs.example.com}, spec: {
group: example.com, scope: Cluster, names: {kind: Tab, plural: tabs}, versions: [{name: v1, served: true, storage: true}]}}`
	write(t, root, txtar.File{Name: "crds/tabs.yaml", Data: []byte(crd)})
	p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	_, err = doctor.Check(t.Context(), doctor.Options{Root: root, Project: p, Cluster: cluster("kind: Status\nname: tabs.example.com")})
	require.EqualError(t, err, "--against-cluster: the CRD tabs.example.com of the cluster cannot be read: the answer is not a CustomResourceDefinition with a group, a kind and versions")
}

// What one example has no room for: a module that is apart from all others is named once, and tags of code-generator stand in a comment of their own.
func TestFound(t *testing.T) {
	for name, one := range map[string]struct {
		files string
		want  []string
	}{
		"one module of another version": {"-- go.mod --\nmodule example.com/m\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/api v0.36.1\n\tk8s.io/apimachinery v0.36.1\n\tk8s.io/client-go v0.35.7\n)\n",
			[]string{"go-sum-missing example.com/m", "kubernetes-minor-skew example.com/m: k8s.io/client-go"}},
		"tags above a blank line": {"-- api/v1/doc.go --\n// +groupName=example.com\npackage v1\n" +
			"-- api/v1/types.go --\npackage v1\n\n// +genclient\n// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n\n// CronTab is one.\ntype CronTab struct{}\n\n" +
			"// Other is not told of by the tags above.\ntype Other struct{}\n",
			[]string{"deepcopy-missing CronTab"}},
	} {
		var found []string
		for _, f := range judge(t, one.files) {
			found = append(found, f.Rule.ID+" "+f.Subject)
		}
		require.Equal(t, one.want, found, name)
	}
}

// A type without DeepCopyObject does not compile where it is given to a scheme, in its package or another. Elsewhere its markers only ask for the method.
func TestDeepCopyMissing(t *testing.T) {
	types := "-- go.mod --\nmodule example.com/m\n\ngo 1.26.0\n-- api/v1/types.go --\n// +groupName=example.com\npackage v1\n\n// +kubebuilder:object:root=true\ntype CronTab struct{}\n"
	for scheme, want := range map[string]rule.Severity{
		"": rule.Note,
		"-- api/v1/register.go --\npackage v1\n\nfunc init() { SchemeBuilder.Register(&CronTab{}, &Other{}) }\n":                                                                   rule.Error,
		"-- scheme/scheme.go --\npackage scheme\n\nimport stable \"example.com/m/api/v1\"\n\nfunc add(s *runtime.Scheme) { s.AddKnownTypes(gv, &stable.CronTab{}) }\n":             rule.Error,
		"-- scheme/scheme.go --\npackage scheme\n\nimport stable \"example.com/other/v1\"\n\nfunc add(s *runtime.Scheme) { s.AddKnownTypes(gv, &stable.CronTab{}, &CronTab{}) }\n": rule.Note,
	} {
		found := judge(t, types+scheme)
		require.Len(t, found, 1, scheme)
		require.Equal(t, want, found[0].Severity, scheme)
	}
}
