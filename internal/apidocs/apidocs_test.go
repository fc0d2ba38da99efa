// SPDX-License-Identifier: Apache-2.0

package apidocs_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/apidocs"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/tree"
)

var update = flag.Bool("update", false, "write the pages of testdata/pages")

func TestMain(m *testing.M) { os.Exit(safefstest.Run(m)) }

// open lays out the project of testdata.
func open(t *testing.T) *project.Project {
	t.Helper()
	root := t.TempDir()
	archive, err := txtar.ParseFile("testdata/project.txtar")
	require.NoError(t, err)
	for _, f := range archive.Files {
		safefstest.WriteFiles(t, root, map[string]string{f.Name: string(f.Data)})
	}
	p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	return p
}

func options() apidocs.Options {
	return apidocs.Options{Dir: "docs/api", Formats: config.DocsFormats, Ignore: []string{"CronTab:spec.internal*", "v7/*"}}
}

// pages are those of a project, by path.
func pages(t *testing.T, p *project.Project, o apidocs.Options) map[string]string {
	t.Helper()
	r, err := apidocs.Make(t.Context(), p, o)
	require.NoError(t, err)
	assert.Equal(t, []string{`docs.ignore: "v7/*" matches no kind or field; remove it`}, r.Notes)
	all := map[string]string{}
	for _, path := range r.Tree.Paths() {
		data, _ := r.Tree.Content(path)
		all[strings.TrimPrefix(path, o.Dir+"/")] = string(data)
	}
	return all
}

// The pages are those in testdata/pages, which a person has read; the same ones every time.
func TestPages(t *testing.T) {
	const golden = "testdata/pages"
	got := pages(t, open(t), options())
	assert.Equal(t, got, pages(t, open(t), options()), "not the same ones again")
	if *update {
		require.NoError(t, os.RemoveAll(golden))
		safefstest.WriteFiles(t, golden, got)
	}
	want := map[string]string{}
	for name := range got {
		data, err := os.ReadFile(filepath.Join(golden, filepath.FromSlash(name)))
		require.NoError(t, err, "run the test with -update, and read what changes")
		want[name] = string(data)
	}
	assert.Equal(t, want, got)
}

// Each row of a table has as many cells as its head, and each link leads to an anchor.
func TestTables(t *testing.T) {
	for name, text := range pages(t, open(t), options()) {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		cells := 0
		for line := range strings.Lines(text) {
			n := strings.Count(line, "|")
			if !strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "|-") {
				cells = 0
				continue
			}
			if cells == 0 {
				cells = n
			}
			assert.Equal(t, cells, n, "%s: %s", name, line)
		}
		for _, part := range strings.Split(text, "](#")[1:] {
			anchor, _, _ := strings.Cut(part, ")")
			assert.Contains(t, text, `<a id="`+anchor+`">`, name)
		}
	}
}

// Only pages with the mark are replaced or removed.
func TestOnlyOwnPages(t *testing.T) {
	p := open(t)
	diff := func(o apidocs.Options) ([]tree.Change, error) {
		r, err := apidocs.Make(t.Context(), p, o)
		require.NoError(t, err)
		return r.Tree.Diff(p.Root)
	}
	changes, err := diff(options())
	require.NoError(t, err)
	require.NoError(t, tree.Write(p.Root, changes))
	changes, err = diff(options())
	require.NoError(t, err)
	assert.Empty(t, changes)

	safefstest.WriteFiles(t, p.Root, map[string]string{"docs/api/guide.md": "# A guide\n"})
	o := options()
	o.Formats, o.Ignore = []string{"markdown"}, []string{"v1beta1/*"}
	changes, err = diff(o)
	require.NoError(t, err)
	ops := map[string]tree.Op{}
	for _, c := range changes {
		ops[c.Path] = c.Op
	}
	assert.Equal(t, map[string]tree.Op{
		"docs/api/README.md": tree.Update, "docs/api/index.html": tree.Delete, "docs/api/stable.example.com/v1/crontab.md": tree.Update,
		"docs/api/stable.example.com/v1beta1/crontab.md": tree.Delete,
	}, ops)

	safefstest.WriteFiles(t, p.Root, map[string]string{"docs/api/README.md": "# Mine\n"})
	_, err = diff(options())
	assert.ErrorContains(t, err, "docs/api/README.md was not written by crdctl docs and would be overwritten; it does not have crdctl's mark")
}

func TestTemplates(t *testing.T) {
	o := options()
	o.Formats, o.Named = []string{"markdown"}, "hack/docs"
	o.Templates = fstest.MapFS{
		"kind.md.tmpl": {Data: []byte("{{template \"_head.tmpl\" .}}{{range .Sections}}{{range .Fields}}{{.Path}}\n{{end}}{{end}}")},
		"_head.tmpl":   {Data: []byte("---\ntitle: {{.Kind.Name}}\n---\n")},
	}
	got := pages(t, open(t), o)
	assert.True(t, strings.HasPrefix(got["stable.example.com/v1beta1/crontab.md"], "---\ntitle: CronTab\n---\napiVersion\nkind\nmetadata\nspec\nspec.schedule\nspec.suspend\n\n<!--"), got)
	assert.Contains(t, got["README.md"], "# API reference")

	for name, tc := range map[string]struct{ file, text, problem string }{
		"unknown name":  {"page.md.tmpl", "", "hack/docs/page.md.tmpl: not a template of the reference; the templates are"},
		"unknown field": {"kind.md.tmpl", "{{.Foo}}", "can't evaluate field Foo"},
		"syntax":        {"kind.md.tmpl", "\n{{if}}", "kind.md.tmpl:2"},
		"no template":   {"readme.txt", "", "hack/docs: has none of the templates"},
	} {
		t.Run(name, func(t *testing.T) {
			o.Templates = fstest.MapFS{tc.file: {Data: []byte(tc.text)}}
			_, err := apidocs.Make(t.Context(), open(t), o)
			require.ErrorContains(t, err, tc.problem)
			assert.Equal(t, 1, strings.Count(err.Error(), tc.problem), "all pages have the one template")
		})
	}
}

func TestRefuses(t *testing.T) {
	p := open(t)
	for _, pattern := range []string{"", "a/b/c/d", "[", "CronTab:", "CronTab:["} {
		o := options()
		o.Ignore = []string{pattern}
		_, err := apidocs.Make(t.Context(), p, o)
		assert.ErrorContains(t, err, "is not a pattern", pattern)
	}
	p.CRDs = nil
	_, err := apidocs.Make(t.Context(), p, options())
	assert.ErrorContains(t, err, "no CustomResourceDefinition")
}
