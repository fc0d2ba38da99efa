// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const head = "apiVersion: crdctl.dev/v1alpha1\nkind: Project\n"

func TestParseAppliesDefaults(t *testing.T) {
	p, err := Parse(FileName, []byte(head+"apis: [pkg/apis]\nclients:\n- dir: pkg/client\n"))
	require.NoError(t, err)
	c := p.Clients[0]
	got := []string{c.ClientsetName, c.VersionedName, c.ListersName, c.InformersName, c.ApplyConfigurationName, c.APIs[0]}
	want := "clientset versioned listers informers applyconfiguration pkg/apis"
	if strings.Join(got, " ") != want || !*c.FakeClientset || c.Watch || c.ApplyConfiguration {
		t.Errorf("defaults %v, fake %v, watch %v, applyConfiguration %v; want %s true false false", got, *c.FakeClientset, c.Watch, c.ApplyConfiguration, want)
	}
}

func TestParseRefuses(t *testing.T) {
	data, err := os.ReadFile("testdata/refused.yaml")
	require.NoError(t, err)
	var cases []struct {
		Name, File, Error string
		Whole             bool
	}
	require.NoError(t, yaml.Unmarshal(data, &cases))
	require.Greater(t, len(cases), 30)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			if !c.Whole {
				c.File = head + c.File
			}
			_, err := Parse(FileName, []byte(c.File))
			assert.EqualError(t, err, c.Error)
		})
	}
}

// What flags say wrong is not blamed on a line of the file.
func TestErrorsOfEditsHaveNoPlace(t *testing.T) {
	_, err := Parse(FileName, []byte(head+"apis: [../a]\ncrds: {dir: b}\n"), func(p *Project) { p.CRDs.Dir = "/b" })
	want := "crdctl.yaml: crds.dir: \"/b\" must be a path below the directory of crdctl.yaml, with forward slashes\n" +
		"crdctl.yaml:3:8: apis[0]: \"../a\" must be a path below the directory of crdctl.yaml, with forward slashes"
	assert.EqualError(t, err, want)
}

func TestFindLooksUpwards(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "pkg", "apis")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, FileName), []byte(head), 0o644))
	if got, err := Find(deep); err != nil || got != root {
		t.Errorf("Find: %q, %v; want %q", got, err, root)
	}
	if _, err := Find(t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `create a project with "crdctl init"`) {
		t.Errorf("outside a project: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "apis: [pkg/apis]\nclients: [{dir: a, watch: true}]\ncrds: {dir: b}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("? {a: b}\n: c\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(FileName, data)
		assert.NotEqual(t, err == nil, p == nil, "project %v and error %v", p, err)
		if err != nil && !strings.HasPrefix(err.Error(), FileName+":") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}

func TestDirectoryWithTheNameOfTheFile(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, FileName), 0o755))
	_, err := Load(root)
	assert.ErrorContains(t, err, "crdctl.yaml is a directory; move it away")
}

func TestSettingsBesideDetected(t *testing.T) {
	for file, want := range map[string]bool{
		"controller: {args: [-v]}\n":                                         true,
		"docs: {dir: docs/ref}\n":                                            true,
		"controller: {args: [-v]}\napis: [pkg/apis]\n":                       false,
		"controller: {args: [-v]}\nloop: {hook: ./hook}\n":                   false,
		"apis: [pkg/apis]\n":                                                 false,
		"controller: {package: cmd, samples: [a, b]}\ndocs: {against: v1}\n": true,
	} {
		written, err := Written(FileName, []byte(head+file))
		require.NoError(t, err, file)
		assert.Equal(t, want, written.Detects(), file)
	}
}
