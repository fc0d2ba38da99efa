// SPDX-License-Identifier: Apache-2.0

package change

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// project is a scaffold with kinds of one group.
func project(t *testing.T, kinds ...string) Render {
	t.Helper()
	p := &scaffold.Project{Module: "example.com/x", Folder: ".", Main: ".", ClientDir: "pkg/client"}
	for _, kind := range kinds {
		_, err := p.Add(scaffold.APIOptions{Group: "stable.example.com", Version: "v1", Kind: kind})
		require.NoError(t, err)
	}
	return Render{Project: p, Templates: templates.FS}
}

// scaffolded is a directory with a project's own files, as they are before their user edits them.
func scaffolded(t *testing.T, r Render) string {
	t.Helper()
	dir := t.TempDir()
	files, err := r.render()
	require.NoError(t, err)
	gentest.Write(t, dir, files)
	return dir
}

func plan(t *testing.T, dir string, before, after Render) *Plan {
	t.Helper()
	l, err := FindLocation(dir, false)
	require.NoError(t, err)
	l.Exists = l.Exists || before.Project != nil // as the commands that change a project have it
	p, err := New(l, before, after)
	require.NoError(t, err)
	return p
}

// changes are the changes of a plan to files in a directory, as operation and path.
func changes(t *testing.T, p *Plan, dir string) map[string]tree.Op {
	t.Helper()
	diff, err := p.Tree.Diff(dir)
	require.NoError(t, err)
	all := map[string]tree.Op{}
	for _, c := range diff {
		all[c.Path] = c.Op
	}
	return all
}

// In an empty directory all files are new, and next to other files these are in the way.
func TestPlanOfANewProject(t *testing.T) {
	dir := t.TempDir()
	after := project(t, "CronTab")
	p := plan(t, dir, Render{}, after)
	made := changes(t, p, dir)
	assert.Equal(t, tree.Create, made["main.go"])
	assert.Equal(t, tree.Create, made["go.mod"])
	assert.Empty(t, slices.Concat(p.Merged, p.InTheWay, p.Edited))

	safefstest.WriteFiles(t, dir, map[string]string{"go.mod": "module example.com/x\n\ngo 1.26.0\n", "README.md": "mine\n"})
	p = plan(t, dir, Render{}, after)
	made = changes(t, p, dir)
	assert.Equal(t, []string{"README.md"}, p.InTheWay)
	assert.Equal(t, tree.Update, made["go.mod"], "it has no more than \"go mod init\" writes")
	assert.Empty(t, made["README.md"])
	require.NoError(t, p.Overwrite())
	assert.Equal(t, tree.Update, changes(t, p, dir)["README.md"])
	assert.Empty(t, p.InTheWay)
}

// A file that a project does not have is not planned.
func TestPlanWithout(t *testing.T) {
	after := project(t, "CronTab")
	after.Project.Without = []string{"README.md"}
	after.Files = map[string][]byte{"hack/boilerplate.go.txt": []byte("// mine\n")}
	p := plan(t, t.TempDir(), Render{}, after)
	_, readme := p.Tree.Content("README.md")
	assert.False(t, readme, "README.md is planned")
	header, _ := p.Tree.Content("hack/boilerplate.go.txt")
	assert.Equal(t, "// mine\n", string(header))
}

// A new kind adds its files and leaves the user's edits alone.
func TestPlanOfANewKind(t *testing.T) {
	before, after := project(t, "CronTab"), project(t, "CronTab", "Backup")
	dir := scaffolded(t, before)
	p := plan(t, dir, before, after)
	made := changes(t, p, dir)
	var created []string
	for name, op := range made {
		if op == tree.Create && strings.Contains(name, "backup") {
			created = append(created, name)
		}
	}
	require.NotEmpty(t, created)
	assert.NotContains(t, slices.Collect(maps.Values(made)), tree.Delete)
	assert.Empty(t, p.Conflicts)
	assert.Empty(t, slices.Concat(p.InTheWay, p.Edited))
	for _, name := range p.Merged {
		assert.Equal(t, tree.Update, made[name], "%s is merged, and its change", name)
	}
	safefstest.WriteFiles(t, dir, map[string]string{created[0]: "mine\n"})
	assert.Equal(t, created[:1], plan(t, dir, before, after).InTheWay)
}

// A kind that is removed takes its files along, but not those that the user edited.
func TestPlanOfARemovedKind(t *testing.T) {
	before, after := project(t, "CronTab", "Backup"), project(t, "CronTab")
	dir := scaffolded(t, before)
	p := plan(t, dir, before, after)
	var removed string
	for name, op := range changes(t, p, dir) {
		if op == tree.Delete && strings.HasSuffix(name, "_types.go") {
			removed = name
		}
	}
	require.NotEmpty(t, removed, "the types stay")
	safefstest.WriteFiles(t, dir, map[string]string{removed: safefstest.Read(t, filepath.Join(dir, removed)) + "\n// mine\n"})
	p = plan(t, dir, before, after)
	assert.Equal(t, []string{removed}, p.Edited)
	assert.Empty(t, changes(t, p, dir)[removed])
	p.RemoveEdited()
	assert.Equal(t, tree.Delete, changes(t, p, dir)[removed], "%s stays; edited", removed)
	assert.Empty(t, p.Edited, "%s stays; edited", removed)
}

// Types that were made from a CRD count as edited: the templates do not tell what they were.
func TestPlanKeepsImportedTypes(t *testing.T) {
	before, after := project(t, "CronTab", "Backup"), project(t, "CronTab")
	backup := before.Project.Find("stable.example.com", "v1", "Backup")
	backup.Imported = true
	dir := scaffolded(t, before)
	types := before.Project.VersionOf(backup).Dir + "/" + backup.TypesFile + ".go"
	safefstest.WriteFiles(t, dir, map[string]string{types: "package v1\n"})
	assert.Contains(t, plan(t, dir, before, after).Edited, types)
}

// The go.mod of a module that exists gets what the project requires, for the Kubernetes that it has.
func TestPlanMergesTheModule(t *testing.T) {
	const header = "module example.com/x\n\ngo 1.26.0\n\nrequire example.com/mine v1.0.0\n"
	for name, test := range map[string]struct {
		goMod string
		want  []string
		err   string
	}{
		"no Kubernetes yet": {header, []string{"example.com/mine v1.0.0", "k8s.io/client-go v0."}, ""},
		"a later one":       {header + "require k8s.io/client-go v0.99.0\n", []string{"k8s.io/client-go v0.99.0", "k8s.io/api v0.99.0"}, ""},
		"an older one":      {header + "require k8s.io/client-go v0.30.0\n", nil, "go.mod requires k8s.io/client-go v0.30.0, but the controller needs v0."},
		"not a go.mod":      {header + "require\n", nil, "go.mod:6"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			safefstest.WriteFiles(t, dir, map[string]string{"go.mod": test.goMod})
			l := Location{Module: dir, Dir: ".", Path: "example.com/x", Exists: true, Seen: &tree.Seen{}}
			p, err := New(l, Render{}, project(t, "CronTab"))
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			for _, want := range test.want {
				assert.Contains(t, string(p.module["go.mod"]), want)
			}
			assert.NotContains(t, p.Tree.Paths(), "go.mod")
			assert.NotEmpty(t, p.module["go.sum"])
		})
	}
}

// What crdctl itself writes into crdctl.yaml is not an edit of the user's.
func TestSettingsWithoutTheRecord(t *testing.T) {
	dir := t.TempDir()
	const own = "apiVersion: crdctl.dev/v1alpha1\nkind: Project\napis: [pkg/apis]\n"
	recorded, err := config.PutScaffold([]byte(own), project(t, "CronTab").Project.Record())
	require.NoError(t, err)
	safefstest.WriteFiles(t, dir, map[string]string{config.FileName: string(recorded)})
	got, err := settingsFS{os.DirFS(dir)}.ReadFile(config.FileName)
	require.NoError(t, err)
	assert.Equal(t, own, string(got))
}
