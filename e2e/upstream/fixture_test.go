// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// layout is the archive that package gen has its cache tested with, too.
const layout = "../../internal/gen/testdata/layout.txtar"

// The fixtures, one layout or family of tags each; between them they have every tag that the generators read.
var fixtures = map[string]gentest.Fixture{
	"conversion":  {Archive: "testdata/conversion.txtar"},
	"copies":      {Archive: "testdata/copies.txtar"},
	"defaults":    {Archive: "testdata/defaults.txtar"},
	"clients":     {Archive: "testdata/clients.txtar"},
	"definitions": {Archive: "testdata/definitions.txtar"},
	"lint":        {Archive: "testdata/lint.txtar"},
	"registers":   {Archive: "testdata/registers.txtar"},
	"roles":       {Archive: "testdata/roles.txtar"},
	"scaffolds":   {Files: scaffolds},
	"shapes":      {Archive: "testdata/shapes.txtar"},

	"linked":    {Archive: layout, Linked: true},
	"links":     {Archive: "testdata/registers.txtar", Prepare: linkAPIs},
	"nested":    {Archive: "testdata/nested.txtar", Prepare: requireNested},
	"space":     {Archive: layout, Name: "a project folder"},
	"subfolder": {Archive: "testdata/subfolder.txtar", Module: "code"},
	"vendored":  {Archive: layout, Prepare: vendor},
	"workspace": {Archive: "testdata/workspace.txtar", Module: "api", Workspace: true},
}

// content is what files there are in a directory and behind links to directories, without what the go command vendored and
// what is hidden.
func content(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		require.NoError(t, err)
		for _, entry := range entries {
			name := path.Join(dir, entry.Name())
			info, err := os.Stat(filepath.Join(root, name))
			switch {
			case err != nil:
				t.Fatal(err)
			case entry.Name() == "vendor" || entry.Name()[0] == '.':
			case info.IsDir():
				walk(name)
			default:
				all[name] = safefstest.Read(t, filepath.Join(root, name))
			}
		}
	}
	walk("")
	return all
}

// scaffolds is a module of two scaffolded groups: a namespaced kind with status, and a cluster-scoped one without, whose
// names are irregular throughout.
func scaffolds(t *testing.T) *tree.Tree {
	t.Helper()
	files := tree.New()
	for _, o := range []scaffold.APIOptions{
		{Group: "stable.example.com", Version: "v1beta1", Kind: "CronTab", ShortNames: []string{"ct"}, Fields: []string{"cronSpec:string", "image:string", "replicas:int32"}},
		{Group: "foo-bar.k8s.io", Version: "v1", Kind: "IPPool", Scope: "Cluster", NoStatus: true, Plural: "poolsofip", Fields: []string{"podCIDRs:[]string", "labels:map[string]string"}},
	} {
		rendered := render(t, o)
		for _, path := range rendered.Paths() {
			if _, ok := files.Content(path); ok || strings.HasSuffix(path, ".yaml") || path == "main.go" || strings.HasPrefix(path, "controller") {
				continue
			}
			data, _ := rendered.Content(path)
			gentest.Add(t, files, path, data)
		}
	}
	gentest.Add(t, files, config.FileName, []byte(`{apiVersion: crdctl.dev/v1alpha1, kind: Project, boilerplate: hack/boilerplate.go.txt, apis: [pkg/apis], crds: {dir: config/crd},
		clients: [{dir: pkg/client, watch: true, applyConfiguration: true, pluralExceptions: {IPPool: Poolsofip}}]}`))
	return files
}

func render(t *testing.T, o scaffold.APIOptions) *tree.Tree {
	t.Helper()
	api, err := scaffold.NewAPI(o)
	require.NoError(t, err)
	p := scaffold.Project{Module: "example.com/fixture", Folder: ".", Main: ".", ClientDir: "pkg/client", APIs: []*scaffold.API{api}}
	files, err := p.Files(templates.FS)
	require.NoError(t, err)
	return files
}

func vendor(t *testing.T, root string) {
	t.Helper()
	run(t, root, "go", "mod", "vendor")
}

// linkAPIs puts a symbolic link instead of the directory of the API packages. Upstream's clients of such packages
// don't compile: client-gen is told the directory behind the link, and the others are told the link.
func linkAPIs(t *testing.T, root string) {
	t.Helper()
	apis := filepath.Join(root, "pkg", "apis")
	require.NoError(t, os.Rename(apis, filepath.Join(root, ".types")))
	require.NoError(t, os.Symlink(filepath.Join("..", ".types"), apis))
}

// requireNested adds to a scaffold's go.mod the modules in the project's own directory.
func requireNested(t *testing.T, root string) {
	t.Helper()
	run(t, root, "go", "mod", "edit",
		"-require=example.com/fixture/leaves@v0.0.0", "-replace=example.com/fixture/leaves=./leaves",
		"-require=example.com/far@v1.2.3", "-replace=example.com/far@v1.2.3=./third/far")
}
