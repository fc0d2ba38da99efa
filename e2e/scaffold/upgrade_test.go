// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/cmd"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/templates"
)

// oldProject is a project that a crdctl of older templates made: one kind that owns Deployments, and one that does not.
func oldProject(t *testing.T, revision int) string {
	t.Helper()
	dir := t.TempDir()
	p := &scaffold.Project{Module: "example.com/foo", Folder: ".", Main: ".", ClientDir: "pkg/client"}
	for _, o := range []scaffold.APIOptions{
		{Group: "samplecontroller.k8s.io", Version: "v1alpha1", Kind: "Foo", Owns: []string{"apps/v1/Deployment"}, Fields: []string{"deploymentName:string:required", "replicas:int32", "status.availableReplicas:int32"}},
		{Group: "samplecontroller.k8s.io", Version: "v1alpha1", Kind: "Bar", Scope: "Cluster"},
	} {
		_, err := p.Add(o)
		require.NoError(t, err)
	}
	old, err := templates.At(revision)
	require.NoError(t, err)
	files, err := p.Files(old)
	require.NoError(t, err)
	settings, _ := files.Content(config.FileName)
	record := p.Record()
	record.Templates = revision
	if settings, err = config.PutScaffold(settings, record); err == nil {
		err = files.Put(config.FileName, settings)
	}
	require.NoError(t, err)
	gentest.Write(t, dir, files)
	generated, err := gen.Generate(t.Context(), dir, gentest.Settings(t, dir), gen.Options{Year: 2026})
	require.NoError(t, err)
	gentest.Write(t, dir, generated.Tree)
	return dir
}

// crdctl runs a command in a project and returns what it says.
func crdctl(t *testing.T, wantCode int, args ...string) (out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := cmd.Main(args, ui.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}, os.Exit); code != wantCode {
		t.Fatalf("crdctl %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, wantCode, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

func replace(t *testing.T, file, old, replacement string) {
	t.Helper()
	content := safefstest.Read(t, file)
	require.Equal(t, 1, strings.Count(content, old), "%q is not once in %s", old, file)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(content, old, replacement, 1)), 0o644))
}

// A project of every older revision comes to what init would make today, with what its user changed in it, and compiles.
func TestUpgrade(t *testing.T) {
	for revision := 1; revision < templates.Revision; revision++ {
		dir := oldProject(t, revision)
		controller := filepath.Join(dir, "internal/controller/foo.go")
		replace(t, controller, `"Processing Foo"`, `"Processing my Foo"`)
		require.NoError(t, os.Remove(filepath.Join(dir, "Dockerfile")))
		before, said := crdctl(t, ui.ExitYes, "upgrade", "-C", dir, "--dry-run")
		assert.Contains(t, before, "update crdctl.yaml\n", "revision %d: dry run", revision)
		assert.Contains(t, said, "would upgrade from templates ", "revision %d: dry run", revision)
		crdctl(t, ui.ExitYes, "upgrade", "-C", dir)
		if data, err := os.ReadFile(controller); err != nil || !strings.Contains(string(data), `"Processing my Foo"`) {
			t.Errorf("revision %d: the user's change is lost (%v)", revision, err)
		}
		_, err := os.Stat(filepath.Join(dir, "Dockerfile"))
		assert.Error(t, err, "revision %d: the Dockerfile that the user removed is back", revision)
		crdctl(t, ui.ExitYes, "verify", "-C", dir)
		// Without the directory in what is compiled, the go command has it in its cache from the second time on.
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "./...")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("revision %d: %v\n%s", revision, err, out)
		}
		if _, said := crdctl(t, ui.ExitYes, "upgrade", "-C", dir); !strings.Contains(said, "the scaffold is up to date") {
			t.Errorf("revision %d: a second time: %s", revision, said)
		}
	}
}

// Where the templates and the user changed the same lines, both stand there, and nowhere else.
func TestUpgradeConflicts(t *testing.T) {
	dir := oldProject(t, 1)
	owned := filepath.Join(dir, "internal/controller/foo_owned.go")
	replace(t, owned, `return map[string]string{"foo": object.Name}`, `return map[string]string{"example.com/foo": object.Name}`)
	_, said := crdctl(t, ui.ExitNo, "upgrade", "-C", dir)
	assert.Contains(t, said, "conflicts to resolve, between <<<<<<< and >>>>>>>, in internal/controller/foo_owned.go; then run \"crdctl generate\"")
	merged := safefstest.Read(t, owned)
	assert.Equal(t, 1, strings.Count(merged, "<<<<<<< yours\n"))
	assert.Contains(t, merged, `"example.com/foo": object.Name}`)
}
