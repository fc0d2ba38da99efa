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
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

const precious = "\n# precious\n"

// TestEditedDuringACommand has a user edit files at the moments of each command that writes: after it read a file, when it
// knows what to change, and on both sides of writing. The edit is in the file afterwards, whatever the exit code is. What
// goes on inside of writing is tested in package tree, at every operation.
func TestEditedDuringACommand(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	crdctl(t, ui.ExitYes, "init", "-C", base, "--module", "example.com/base", "--group", "stable.example.com", "--version", "v1beta1", "--kind", "CronTab")
	crdctl(t, ui.ExitYes, "create", "api", "-C", base, "--group", "stable.example.com", "--version", "v1beta1", "--kind", "Report")
	api := []string{"--group", "stable.example.com", "--version", "v1beta1", "--kind"}
	for _, c := range []struct {
		name  string
		args  []string
		edits []string // files that the command creates, changes or removes
	}{
		{"create", append([]string{"create", "api"}, append(api, "Backup")...), []string{"crdctl.yaml", "internal/controller/backup.go"}},
		{"delete", append([]string{"delete", "api"}, append(api, "Report")...), []string{"crdctl.yaml", "internal/controller/report.go"}},
		{"upgrade", []string{"upgrade"}, []string{"crdctl.yaml"}},
		{"init", append([]string{"init", "--module", "example.com/base", "--force"}, append(api, "CronTab")...), []string{"crdctl.yaml", "Makefile"}},
		{"adopt", []string{"adopt", "--force"}, []string{"crdctl.yaml"}},
		{"generate", []string{"generate"}, []string{"pkg/apis/stable/v1beta1/zz_generated.deepcopy.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := base
			if c.name == "upgrade" {
				from = oldProject(t, 1)
			}
			for _, file := range c.edits {
				refused := 0
				for n := 1; ; n++ {
					dir := copied(t, from)
					switch path := filepath.Join(dir, filepath.FromSlash(file)); c.name {
					case "init": // where each of them is the user's
						addTo(t, path, "# mine\n")
					case "generate":
						require.NoError(t, os.Remove(path))
					}
					at, code := runEdited(t, n, filepath.Join(dir, filepath.FromSlash(file)), append(c.args, "-C", dir))
					if at == "" {
						break
					}
					if code == ui.ExitTrouble {
						refused++
					}
					assert.True(t, hasPrecious(t, dir), "%s, edit %d (%s): the edit of %s is lost; exit code %d", c.name, n, at, file, code)
				}
				assert.NotZero(t, refused, "%s: no edit of %s was noticed", c.name, file)
			}
		})
	}
}

// runEdited runs a command, with an edit at the n-th moment. It returns the moment's name, empty if there were not as many.
// Of reads, only the first ones count: they are all alike.
func runEdited(t *testing.T, n int, path string, args []string) (at string, code int) {
	t.Helper()
	reads, moments := 0, 0
	tree.Hook = func(point string) {
		if point == "read" {
			if reads++; reads != 1 && reads != 4 {
				return
			}
		}
		if moments++; moments == n {
			at = point
			addTo(t, path, precious)
		}
	}
	defer func() { tree.Hook = nil }()
	var said bytes.Buffer
	code = cmd.Main(args, ui.Streams{In: strings.NewReader(""), Out: &said, Err: &said}, os.Exit)
	if code == ui.ExitTrouble && !strings.Contains(said.String(), "run it again") && !strings.Contains(said.String(), "move it away") && !strings.Contains(said.String(), "already in") && !strings.Contains(said.String(), "you changed it") {
		t.Errorf("crdctl %s, edit %d (%s): %s", strings.Join(args, " "), n, at, &said)
	}
	return at, code
}

func addTo(t *testing.T, path, line string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	old, _ := os.ReadFile(path)
	require.NoError(t, os.WriteFile(path+"~", append(old, line...), 0o644))
	require.NoError(t, os.Rename(path+"~", path))
}

func copied(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

func hasPrecious(t *testing.T, dir string) bool {
	t.Helper()
	return exec.CommandContext(t.Context(), "grep", "-rqF", "# precious", dir).Run() == nil
}
