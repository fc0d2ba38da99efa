// SPDX-License-Identifier: Apache-2.0

package run

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Without a go command that can build, nothing is started: no control plane, no directory for its state.
func TestRunWithoutGo(t *testing.T) {
	run := func(t *testing.T) error {
		t.Helper()
		root := t.TempDir()
		err := Run(t.Context(), Options{
			Project: &config.Project{},
			Options: builtin.Options{Root: root, Err: t.Output(), Out: t.Output(), CRDs: func() ([]manifest.CRD, error) { return nil, nil }},
		})
		if left, readErr := os.ReadDir(root); readErr != nil || len(left) > 0 {
			t.Errorf("left behind: %v (%v)", left, readErr)
		}
		return err
	}
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("GOENV", "off")
	for name, env := range map[string][]string{
		"no home":        {"HOME=", "XDG_CACHE_HOME=", "GOCACHE=", "GOMODCACHE=", "GOPATH="},
		"no directory":   {"GOCACHE=" + file},
		"no build cache": {"GOCACHE=off"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range env {
				key, value, _ := strings.Cut(v, "=")
				t.Setenv(key, value)
			}
			assert.ErrorContains(t, run(t), "GOCACHE")
		})
	}
	t.Run("no go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		assert.ErrorIs(t, run(t), workspace.ErrNoGo)
	})
}

// Flags that go build does not have are reported before anything is started; what no flag is to blame for is left to the build.
func TestCheckBuildFlags(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	root := t.TempDir()
	goMod := filepath.Join(root, "go.mod")
	require.NoError(t, os.WriteFile(goMod, []byte("module example.com/p\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600))
	for flags, want := range map[string]string{
		"":                            "",
		"-tags=a -race -v":            "",
		"-tags a -gcflags=all=-N":     "",
		"-tags":                       "build flags: -tags: a flag has no value",
		"-race a":                     "build flags: -race a: a flag has no value, or a value no flag; write for example -tags=integration",
		"-nope":                       "build flags: flag provided but not defined: -nope; correct --build-flags, or controller.buildFlags in crdctl.yaml",
		"-mod=foo":                    "build flags: -mod=foo not supported (can be '', 'mod', 'readonly', or 'vendor'); correct",
		"-overlay=" + goMod + ".json": "build flags: reading overlay: open " + goMod + ".json: no such file or directory; correct",
	} {
		if err := checkBuildFlags(t.Context(), root, "./", strings.Fields(flags)); want == "" {
			assert.NoError(t, err, flags)
		} else {
			assert.ErrorContains(t, err, want, flags)
		}
	}
	require.NoError(t, os.WriteFile(goMod, []byte("modul example.com/p\n"), 0o600))
	assert.NoError(t, checkBuildFlags(t.Context(), root, "./", []string{"-race"}))
}

// What the race detector lacks is reported before anything is started.
func TestCheckRace(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	assert.NoError(t, checkRace("darwin", "0", "clang"))
	assert.ErrorContains(t, checkRace("linux", "0", "gcc"), "gcc is not in PATH; install gcc or clang")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "gcc"), nil, 0o700))
	assert.ErrorContains(t, checkRace("linux", "0", "gcc -m64"), "set CGO_ENABLED=1")
	assert.NoError(t, checkRace("linux", "1", "gcc -m64"))
}

// A debugger that is missing is reported before anything is started, with the command that installs it.
func TestDebuggerIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	assert.ErrorContains(t, (&Debugger{}).prepare(), `"go install github.com/go-delve/delve/cmd/dlv@latest"`)
}

// A port that another program has is reported before anything is started: to ask the debugger there would be to ask that program.
func TestDebuggerPortIsTaken(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dlv"), nil, 0o700))
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	d := Debugger{Port: l.Addr().(*net.TCPAddr).Port}
	assert.ErrorContains(t, d.prepare(), "; use another port, or omit the flag")
	require.NoError(t, l.Close())
	assert.NoError(t, d.prepare())
}

// The controller is killed as well as its debugger; one that has ended is not, since another process may have its number.
func TestSessionKill(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestSleeps$")
	cmd.Env = append(os.Environ(), "SLEEP=yes")
	require.NoError(t, cmd.Start())
	s, ended, status := &session{}, &session{}, 0
	ended.pid.Store(int64(os.Getpid()))
	ended.status.Store(&status)
	ended.kill()
	s.kill()
	s.pid.Store(int64(cmd.Process.Pid))
	s.kill()
	require.Error(t, cmd.Wait())
}

// TestSleeps is the process that TestSessionKill kills.
func TestSleeps(*testing.T) {
	if os.Getenv("SLEEP") != "" {
		time.Sleep(time.Minute)
	}
}
