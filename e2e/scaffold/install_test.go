// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const root = "../.."

// A user's first command: go install of a released version. The module is packed into a module proxy on disk, from
// what git has and nothing else, and installed from it into an empty directory; what it requires comes from where modules
// come from on this machine.
func TestGoInstall(t *testing.T) {
	// Its own version: go takes what it has of a version from its caches, which would be what an earlier run packed.
	version := fmt.Sprintf("v0.0.1-installtest.%d", time.Now().UnixNano())
	proxy, bin, cache := t.TempDir(), t.TempDir(), modCache(t)
	t.Cleanup(func() {
		_ = os.RemoveAll(filepath.Join(cache, filepath.FromSlash(modulePath)+"@"+version))
		cached, _ := filepath.Glob(filepath.Join(cache, "cache", "download", filepath.FromSlash(modulePath), "@v", version+".*"))
		for _, file := range cached {
			_ = os.Remove(file)
		}
	})
	at := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		version + ".mod": goMod, version + ".info": []byte(`{"Version":"` + version + `","Time":"2026-01-01T00:00:00Z"}`), "list": []byte(version + "\n"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), content, 0o644))
	}
	pack(t, filepath.Join(at, version+".zip"), version)

	run(t, bin, []string{
		"GOBIN=" + bin, "GOFLAGS=-modcacherw -ldflags=-w", "GONOSUMDB=" + modulePath, "GONOSUMCHECK=1", "GOWORK=off",
		"GOPROXY=file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(cache) + "/cache/download," + goEnv(t, "GOPROXY"),
	}, "go", "install", modulePath+"@"+version)

	out := run(t, bin, nil, filepath.Join(bin, "crdctl"), "version")
	assert.True(t, strings.HasPrefix(out, "crdctl "+version+"\n"), "crdctl version:\n%s", out)
}

const modulePath = "github.com/crdctl/crdctl"

func pack(t *testing.T, file, version string) {
	t.Helper()
	out, err := os.Create(file)
	require.NoError(t, err)
	defer func() { _ = out.Close() }()
	require.NoError(t, zip.CreateFromDir(out, module.Version{Path: modulePath, Version: version}, checkout(t)))
}

// checkout copies what git has of the working tree, with what is not committed yet but not ignored either.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for file := range strings.SplitSeq(strings.TrimSuffix(run(t, root, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) {
			continue // deleted, not committed
		}
		require.NoError(t, err)
		to := filepath.Join(dir, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, data, 0o644))
	}
	return dir
}

func modCache(t *testing.T) string { return goEnv(t, "GOMODCACHE") }

func goEnv(t *testing.T, name string) string {
	t.Helper()
	return strings.TrimSpace(run(t, root, nil, "go", "env", name))
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	return string(out)
}
