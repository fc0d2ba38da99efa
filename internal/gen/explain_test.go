// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/explain"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/scan"
	"github.com/crdctl/crdctl/internal/tree"
)

// Where several generators fail, each of them is reported, but what follows from an error that has been reported already.
func TestExplainAllReportsEachGenerator(t *testing.T) {
	one := settled{errors.New("copy:\n  v1/a.go:1:1: one")}
	two := settled{errors.New("make:\n  v1/a.go:2:1: two\n  v1/a.go:1:1: one, too")}
	three := settled{errors.New("cannot generate the role:\n  v1/b.go:3:1: three")}
	follows := settled{errors.New("build:\n  v1/a.go:2:1: again")}
	noPlace := settled{errors.New("something else")}
	err := (&generation{}).explainAll(t.Context(), errors.Join(one, nil, errors.Join(two)), follows, three, noPlace)
	assert.EqualError(t, err, errors.Join(one, two, three).Error())
	assert.NoError(t, (&generation{}).explainAll(t.Context(), nil, nil), "no errors")
}

// controller-tools says of a package that no version of a kind is stored; the place is that of the kind in its first version.
func TestNoStorageVersionHasAPlace(t *testing.T) {
	root := t.TempDir()
	files := tree.New()
	for file, data := range gentest.ModuleFiles(t) {
		gentest.Add(t, files, file, data)
	}
	gentest.Add(t, files, "crdctl.yaml", []byte(`{apiVersion: crdctl.dev/v1alpha1, kind: Project, apis: [pkg], crds: {dir: crd}}`))
	for _, version := range []string{"v1", "v2"} {
		gentest.Add(t, files, "pkg/"+version+"/types.go", []byte("// +groupName=example.com\npackage "+version+"\n\n"+
			"import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\n\n"+
			"type Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n}\n"))
	}
	gentest.Write(t, root, files)
	_, err := Generate(t.Context(), root, gentest.Settings(t, root), Options{Year: 2026})
	gentest.CompareLines(t, "two versions", err, []string{"pkg/v1/types.go:8:6: CRD for Thing.example.com has no storage version"})
}

// An API directory whose module the workspace does not list is an error of the workspace.
func TestUnlisted(t *testing.T) {
	const said = "x.go:1:1: no required module provides package example.com/a/v1; to add it:"
	for name, c := range map[string]struct {
		work, env string
		want      bool
	}{
		"not listed":             {work: "go 1.26\n\nuse ./b\n", want: true},
		"listed":                 {work: "go 1.26\n\nuse (\n\t./b\n\t./a\n)\n"},
		"no workspace":           {},
		"off":                    {work: "go 1.26\n\nuse ./b\n", env: "off"},
		"the workspace is wrong": {work: "bogus x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("GOWORK", c.env)
			files := map[string]string{"a/go.mod": "module example.com/a\n", "b/go.mod": "module example.com/b\n", "a/api/v1/a.go": "package v1\n"}
			if c.work != "" {
				files["go.work"] = c.work
			}
			safefstest.WriteFiles(t, root, files)
			dir := filepath.Join(root, "a")
			p := &config.Project{APIs: []string{"api"}}
			g := &generation{root: dir, dir: dir, settings: p}
			err := g.unlisted(said)
			if (err != nil) != c.want || err != nil && (!strings.HasPrefix(err.Error(), filepath.Join(root, "go.work")+": ") || !strings.Contains(err.Error(), "go work use")) {
				t.Errorf("error: %v", err)
			}
			assert.NoError(t, g.unlisted("syntax error"), "another")
		})
	}
}

// A package that does not load is noted at the tag that names it.
func TestUncheckedPackageHasAPlace(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"v1/a.go": "package v1\n\n// +k8s:conversion-gen=no.such/pkg/v11\n"})
	scanned := scan.New(root, nil)
	scanned.Sources = explain.Sources{"v1/a.go": {}}
	c := &typeCheck{generation: &generation{root: root, scan: scanned}}
	notes := c.unchecked([]load.Unchecked{{Path: "example.com/p/client", Import: "no.such/pkg/v11", Err: load.ErrUnsupported}})
	require.Len(t, notes, 1, "notes")
	assert.True(t, strings.HasPrefix(notes[0], "v1/a.go:3:4: +k8s:conversion-gen: not type-checked: "), "notes")

	lib := &load.NotDownloaded{Module: "example.com/lib", Version: "v1.2.3"}
	notes = c.unchecked([]load.Unchecked{{Path: "a", Import: "example.com/lib/x", Err: lib}, {Path: "b", Import: "example.com/lib/y", Err: lib}, {Path: "c", Import: "no.such/pkg", Err: errors.New("none")}})
	assert.Equal(t, []string{
		`example.com/lib v1.2.3 is not downloaded yet, so what imports it was not type-checked (a and 1 more); "go mod download" or the first build downloads it`,
		`not type-checked: c: cannot load no.such/pkg: none; run "go mod tidy"`,
	}, notes)
}
