// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/e2e/internal/testcache"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/controllergen/args"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// TestControllerGen compares what crdctl makes of calls of controller-gen with what controller-gen makes of them, byte by byte.
// CONTROLLER_TOOLS has other versions, as "make compat" sets it.
func TestControllerGen(t *testing.T) {
	for _, version := range strings.Fields(cmp.Or(os.Getenv("CONTROLLER_TOOLS"), "v0.23.0 v0.17.2")) {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			root := farm(t, version)
			annotated := 3
			if semver.Compare(version, "v0.11.0") < 0 { // which know no marker for that
				annotated = 2
			}
			calls := callsOf(t, root, version)
			theirs := upstreamFiles(t, version, calls)
			result, err := controllergen.Run(t.Context(), root, config.ControllerGen{Version: version, Calls: calls}, nil)
			require.NoError(t, err)
			ours := map[string]string{}
			disputed := 0
			for _, f := range result.Files {
				if want := []byte(theirs[f.Path]); slices.ContainsFunc(f.Also, func(other []byte) bool { return bytes.Equal(other, want) }) {
					f.Content = want
				}
				disputed += len(f.Also)
				year := "2031"
				if f.Generator == "applyconfiguration" {
					year = strconv.Itoa(time.Now().UTC().Year())
				}
				if f.Year {
					f.Content = bytes.ReplaceAll(f.Content, []byte("YEAR"), []byte(year))
				}
				ours[f.Path] = string(f.Content)
			}
			for path, want := range theirs {
				assert.Equal(t, want, ours[path], path)
				delete(ours, path)
			}
			assert.Empty(t, ours, "files that controller-gen does not make")
			assert.GreaterOrEqual(t, len(theirs), 13)
			assert.Equal(t, annotated, disputed, "any of three versions may name the resource last, and two annotate it")
		})
	}
}

// farm lays the fixture out. Both of its modules have this repository's requirements, or those of the time of an old version, which
// cannot read the markers of today's Kubernetes.
func farm(t *testing.T, version string) string {
	t.Helper()
	archive, err := os.ReadFile("testdata/controllergen.txtar")
	require.NoError(t, err)
	files := gentest.ModuleFiles(t)
	before := func(since string) bool { return semver.Compare(version, since) < 0 }
	if before("v0.16.0") {
		files = oldModuleFiles(t)
	}
	if before("v0.7.0") {
		reviewed := ",admissionReviewVersions=v1"
		both := map[bool]string{false: reviewed + ",webhookVersions={v1,v1beta1}"}[before("v0.4.1")]
		archive = bytes.ReplaceAll(archive, []byte(reviewed), []byte(both))
	}
	if before("v0.2.9") {
		archive = bytes.ReplaceAll(archive, []byte(",sideEffects=None"), nil)
	}
	for name, data := range files {
		for dir, module := range map[string]string{"": gentest.Module, "sub/": gentest.Module + "/sub"} {
			text := strings.Replace(string(data), "module "+gentest.Module+"\n", "module "+module+"\n", 1)
			archive = fmt.Appendf(archive, "-- %s%s --\n%s", dir, name, text)
		}
	}
	return gentest.LayText(t, string(archive))
}

func oldModuleFiles(t *testing.T) map[string][]byte {
	t.Helper()
	dir := gentest.LayText(t, "-- go.mod --\nmodule "+gentest.Module+"\n\ngo 1.16\n\nrequire (\n\tk8s.io/api v0.21.3\n\tk8s.io/apimachinery v0.21.3\n)\n")
	run(t, dir, "go", "list", "-mod=mod", "-deps", "k8s.io/api/core/v1")
	files := map[string][]byte{}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		files[name] = data
	}
	return files
}

// callsOf are the calls that a version can make.
func callsOf(t *testing.T, root, version string) (calls []config.ControllerGenCall) {
	t.Helper()
	for line := range strings.Lines(safefstest.Read(t, filepath.Join(root, "calls"))) {
		words := strings.Fields(line)
		c, err := args.Parse(words[1:])
		require.NoError(t, err)
		if semver.Compare(version, "v0.9.0") < 0 && strings.HasPrefix(line, ". ") && slices.Contains(c.Paths, "./sub/...") {
			continue // it loads no other module
		}
		if c.Dir = words[0]; args.Check(c, version) == nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// upstreamFiles are those that controller-gen writes, or writes anew.
func upstreamFiles(t *testing.T, version string, calls []config.ControllerGenCall) map[string]string {
	t.Helper()
	root := farm(t, version)
	before := snapshot[string](t, root)
	key := []string{version, strconv.Itoa(time.Now().UTC().Year()), fmt.Sprint(before)}
	made, err := testcache.Dir("controller-gen-output", key, func(dir string) error {
		program, err := testcache.Dir("controller-gen", []string{version}, func(dir string) error {
			cmd := exec.CommandContext(t.Context(), "go", "install", "sigs.k8s.io/controller-tools/cmd/controller-gen@"+version)
			if semver.Compare(version, "v0.16.4") < 0 { // then Go needs a newer golang.org/x/tools than it pins
				goMod := "module upstream\n\nrequire (\n\tsigs.k8s.io/controller-tools " + version + "\n\tgolang.org/x/tools v0.30.0\n)\n"
				cmd = exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", dir, "sigs.k8s.io/controller-tools/cmd/controller-gen")
				cmd.Dir = t.TempDir()
				if err := os.WriteFile(filepath.Join(cmd.Dir, "go.mod"), []byte(goMod), 0o600); err != nil {
					return err
				}
			}
			cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOWORK=off")
			out, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, c := range calls {
			if c.Object != nil && c.Object.Year == config.CurrentYear {
				c.Object.Year = "2031"
				defer func() { c.Object.Year = config.CurrentYear }()
			}
			cmd := exec.CommandContext(t.Context(), filepath.Join(program, "controller-gen"), args.Words(c)...)
			cmd.Dir = filepath.Join(root, c.Dir)
			// It writes although it reports the package that does not exist.
			if out, err := cmd.CombinedOutput(); err != nil && !bytes.Contains(out, []byte("not/made/yet")) {
				return fmt.Errorf("%q: %w: %s", args.Words(c), err, out)
			}
		}
		return os.CopyFS(dir, os.DirFS(root))
	})
	require.NoError(t, err)
	after := snapshot[string](t, made)
	for path, content := range before {
		if after[path] == content {
			delete(after, path)
		}
	}
	return after
}
