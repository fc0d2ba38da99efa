// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// installer is the script of action.yml.
func installer(t *testing.T) string {
	t.Helper()
	var action struct {
		Runs struct {
			Steps []struct{ Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(safefstest.Read(t, "../../action.yml")), &action))
	require.Len(t, action.Runs.Steps, 1)
	return action.Runs.Steps[0].Run
}

// releases serves releases as GitHub does, with one archive, whose sum is in SHA256SUMS unless another one is given.
func releases(t *testing.T, sum string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "crdctl")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho this is crdctl $1\n"), 0o600))
	name := archiveName("codegen", "v1.2.3", "linux", "amd64") + ".tar.gz"
	content, err := tarball([]file{{from: program, name: "crdctl", mode: 0o755}}, time.Unix(0, 0))
	require.NoError(t, err)
	if sum == "" {
		sum = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	mux := http.NewServeMux()
	mux.Handle("/latest", http.RedirectHandler("/tag/v1.2.3", http.StatusFound))
	mux.Handle("/none/latest", http.RedirectHandler("/releases", http.StatusFound)) // as GitHub does where there is no release
	mux.HandleFunc("/releases", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/tag/v1.2.3", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/download/v1.2.3/"+name, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	mux.HandleFunc("/download/v1.2.3/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "%064x  other.tar.gz\n%s  %s\n", 0, sum, name)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// modules is a module proxy on disk with one version of a small crdctl, which prints its build tags.
func modules(t *testing.T) string {
	t.Helper()
	from, proxy := t.TempDir(), t.TempDir()
	at := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	require.NoError(t, os.MkdirAll(at, 0o755))
	write := func(dir, name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	goMod := "module " + module + "\n\ngo 1.24\n"
	write(from, "go.mod", goMod)
	write(from, "main.go", "package main\n\nimport \"os\"\n\nfunc main() { println(\"this is crdctl\", os.Args[1], build) }\n")
	for build, constraint := range map[string]string{"codegen": "crdctl_codegen", "loop": "crdctl_loop", "full": "!crdctl_codegen && !crdctl_loop"} {
		write(from, build+".go", "//go:build "+constraint+"\n\npackage main\n\nconst build = \""+build+"\"\n")
	}
	write(at, "v1.2.3.mod", goMod)
	write(at, "v1.2.3.info", `{"Version":"v1.2.3"}`)
	write(at, "list", "v1.2.3\n")
	out, err := os.Create(filepath.Join(at, "v1.2.3.zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(out, gomodule.Version{Path: module, Version: "v1.2.3"}, from))
	require.NoError(t, out.Close())
	return "file://" + filepath.ToSlash(proxy)
}

// moduleCache is an empty one, which go is asked to remove: its files are read-only.
func moduleCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		cmd := exec.Command("go", "clean", "-modcache")
		cmd.Env = append(os.Environ(), "GOMODCACHE="+dir, "GOFLAGS=")
		assert.NoError(t, cmd.Run())
	})
	return dir
}

// The action installs the archive that "make release" makes, and nothing that is not in its sums, or compiles the version.
func TestAction(t *testing.T) {
	script, proxy := installer(t), modules(t)
	wrong := fmt.Sprintf("%064x", 1)
	for name, test := range map[string]struct {
		env       []string
		sum       string
		want, not string // of the output
	}{
		"at a version":      {env: []string{"REF=v1.2.3"}, want: "this is crdctl version"},
		"another version":   {env: []string{"REF=v9.9.9", "VERSION=v1.2.3"}, want: "this is crdctl version"},
		"the latest":        {env: []string{"REF=main"}, want: "this is crdctl version"},
		"compiled":          {env: []string{"REF=v1.2.3", "SOURCE=go", "ARCH=X86"}, want: "this is crdctl version codegen"},
		"full, compiled":    {env: []string{"REF=main", "VERSION=v1.2.3", "SOURCE=go", "BUILD=full", "GOFLAGS=-tags=crdctl_loop"}, want: "this is crdctl version full"},
		"not a release":     {env: []string{"REF=v1.2.4", "SOURCE=go"}, want: "::error title=crdctl::cannot compile v1.2.4 with go", not: "this is crdctl"},
		"no release":        {env: []string{"REF=main", "RELEASES=" + releases(t, "") + "/moved"}, want: "::error title=crdctl::cannot find the latest release at ", not: "this is crdctl"},
		"no release yet":    {env: []string{"REF=main", "SOURCE=go", "RELEASES=" + releases(t, "") + "/none"}, want: "::error title=crdctl::there is no release yet at ", not: "this is crdctl"},
		"another sum":       {env: []string{"REF=v1.2.3"}, sum: wrong, want: "::error title=crdctl::the checksum of crdctl-codegen_v1.2.3_linux_amd64.tar.gz", not: "this is crdctl"},
		"no such archive":   {env: []string{"REF=v1.2.3", "ARCH=ARM64"}, want: "::error title=crdctl::cannot download crdctl-codegen_v1.2.3_linux_arm64.tar.gz", not: "this is crdctl"},
		"no archives":       {env: []string{"REF=v1.2.3", "ARCH=X86"}, want: "::error title=crdctl::there is no archive for X86; use source: go", not: "this is crdctl"},
		"not a version":     {env: []string{"VERSION=1.2"}, want: "::error title=crdctl::version: 1.2 is not a version such as v0.1.0", not: "this is crdctl"},
		"no such build":     {env: []string{"BUILD=small"}, want: "::error title=crdctl::build: small is not codegen, full or loop", not: "this is crdctl"},
		"no such source":    {env: []string{"REF=v1.2.3", "SOURCE=apt"}, want: "::error title=crdctl::source: apt is not archive or go", not: "this is crdctl"},
		"a script as input": {env: []string{"VERSION=$(touch pwned)"}, want: "::error title=crdctl::version: $(touch pwned) is not a version", not: "this is crdctl"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "VERSION=", "BUILD=codegen", "SOURCE=archive", "REF=", "OS=Linux", "ARCH=X64", "RELEASES="+releases(t, test.sum),
				"GOPROXY="+proxy, "GONOSUMDB="+module, "GOMODCACHE="+moduleCache(t), "RUNNER_TEMP="+dir, "GITHUB_PATH="+filepath.Join(dir, "path"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "NO_PROXY=127.0.0.1")
			cmd.Env = append(cmd.Env, test.env...)
			out, err := cmd.CombinedOutput()
			assert.Contains(t, string(out), test.want)
			assert.NoFileExists(t, filepath.Join(dir, "pwned"))
			if test.not != "" {
				require.Error(t, err, "%s", out)
				assert.NotContains(t, string(out), test.not)
				return
			}
			require.NoError(t, err, "%s", out)
			assert.Regexp(t, "^"+regexp.QuoteMeta(filepath.Join(dir, "crdctl-v1.2.3-"))+"(codegen|full)\n$", safefstest.Read(t, filepath.Join(dir, "path")))
			assert.Equal(t, "version=v1.2.3\n", safefstest.Read(t, filepath.Join(dir, "output")))
		})
	}
}
