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
