// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// run is one Run with everything that it says.
func run(t *testing.T, kubeconfig string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Run(t.Context(), Options{Kubeconfig: kubeconfig, Args: args, Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// kubeconfigFor writes a kubeconfig for a plain HTTP server.
func kubeconfigFor(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"clusters":[{"name":"c","cluster":{"server":%q}}],
		"contexts":[{"name":"c","context":{"cluster":"c"}}]}`, url)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func refusedURL(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return "http://" + listener.Addr().String()
}

func TestWithoutServer(t *testing.T) {
	const start = "the control plane of this project is not running; start it with \"crdctl run\"\n"
	absent := filepath.Join(t.TempDir(), "none", "kubeconfig")
	refused := kubeconfigFor(t, refusedURL(t))
	cases := []struct {
		name, kubeconfig string
		args             []string
		code             int
		out, errOut      string // contained
	}{
		{"help", absent, []string{"--help"}, 0, "crdctl kubectl [flags] [options]", ""},
		{"help on the project", absent, []string{"--help"}, 0, "crdctl kubectl -C DIR", ""},
		{"hint of the help", absent, []string{"--help"}, 0, "\nUse \"crdctl kubectl <command> --help\" for", ""},
		{"hint of a group's help", absent, []string{"create", "--help"}, 0, "\nUse \"crdctl kubectl create <command> --help\" for", ""},
		{"no arguments", absent, nil, 0, "  crdctl kubectl [flags] [options]", ""},
		{"help of a command", absent, []string{"get", "--help"}, 0, "Usage:\n  crdctl kubectl get ", ""},
		{"explain help", "", []string{"explain", "--help"}, 0, "Usage:\n  crdctl kubectl explain", ""},
		{"client version", absent, []string{"version", "--client"}, 0, "Client Version: v", ""},
		{"client version without kubeconfig", "", []string{"version", "--client", "-o", "json"}, 0, `"clientVersion"`, ""},
		{"completion", absent, []string{"completion", "bash"}, 0, "__complete", ""},
		{"completing", absent, []string{"__complete", "del"}, 0, "delete\t", "Completion ended"},
		{"unknown command", absent, []string{"frobnicate"}, 1, "", `error: unknown command "frobnicate" for "crdctl kubectl"`},
		{"unknown flag", absent, []string{"get", "--frob"}, 1, "", "error: unknown flag: --frob\nSee 'crdctl kubectl get --help' for usage.\n"},
		{"not running", absent, []string{"get", "pods"}, 1, "", absent + ": no such file or directory\n" + start},
		{"no kubeconfig", "", []string{"get", "pods"}, 1, "", start},
		{"stopped", refused, []string{"get", "pods"}, 1, "", "was refused - did you specify the right host or port?\n" + start},
		{"another project, too late", refused, []string{"get", "pods", "-C", "x"}, 1, "", "unknown shorthand flag: 'C' in -C\nSee 'crdctl kubectl get --help' for usage.\n-C and --dir name the project"},
		{"copy from a pod, in a goroutine of its own", refused, []string{"cp", "default/pod:/x", filepath.Join(t.TempDir(), "x")}, 1, "", start},
		{"copy to a pod", refused, []string{"cp", refused, "default/pod:/x"}, 1, "", start},
		{"server version", refused, []string{"version"}, 1, "Client Version: v", start},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			code, out, errOut := run(t, c.kubeconfig, c.args...)
			if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errOut, c.errOut) {
				t.Errorf("code %d, want %d\nstdout: %s\nwant: %s\nstderr: %s\nwant: %s", code, c.code, out, c.out, errOut, c.errOut)
			}
			if c.errOut == "" && errOut != "" {
				t.Errorf("stderr: %s", errOut)
			}
		})
	}
}

func TestOnlyTheProjectsServerIsAsked(t *testing.T) {
	answering := func(name string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, name) }))
		t.Cleanup(server.Close)
		return kubeconfigFor(t, server.URL)
	}
	project, other, flag := answering("project"), answering("other"), answering("flag")
	t.Setenv("KUBECONFIG", other)
	_, out, errOut := run(t, project, "get", "--raw", "/")
	assert.Equal(t, "project", out, "asked: %s", errOut)
	for _, args := range [][]string{
		{"--kubeconfig", flag, "get", "--raw", "/"},
		{"get", "--raw", "/", "--kubeconfig=" + flag},
	} {
		_, out, errOut = run(t, project, args...)
		assert.Equal(t, "flag", out, "%q asked %q: %s", args, out, errOut)
	}
	if code, out, errOut := run(t, "", "get", "--raw", "/"); code != 1 {
		t.Errorf("without a kubeconfig: code %d %q %s", code, out, errOut)
	}
}

func TestConfigWritesTheProjectsFileOnly(t *testing.T) {
	project, other := kubeconfigFor(t, "http://project"), kubeconfigFor(t, "http://other")
	t.Setenv("KUBECONFIG", other)
	before, err := os.ReadFile(other)
	require.NoError(t, err)
	code, _, errOut := run(t, project, "config", "set-context", "--current", "--namespace=mine")
	require.Zero(t, code, errOut)
	if after, err := os.ReadFile(other); err != nil || !bytes.Equal(before, after) {
		t.Errorf("$KUBECONFIG was changed: %s %v", after, err)
	}
	if written, err := os.ReadFile(project); err != nil || !strings.Contains(string(written), "namespace: mine") {
		t.Errorf("not written: %s %v", written, err)
	}
}

func TestCancelEndsAWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(w, "first")
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	var out, errOut bytes.Buffer
	began := time.Now()
	code := Run(ctx, Options{Kubeconfig: kubeconfigFor(t, server.URL), Args: []string{"get", "--raw", "/watch"}, Out: &out, Err: &errOut})
	assert.Equal(t, 1, code, "code: %s", errOut.String())
	assert.LessOrEqual(t, errOut.Len(), 0, "code: %s", errOut.String())
	assert.LessOrEqual(t, time.Since(began), 5*time.Second, "took")
	if code, _, errOut := run(t, "", "version", "--client"); code != 0 {
		t.Errorf("the next run: code %d, %s", code, errOut)
	}
}

func TestVerbosityGoesToErrAndEndsWithTheRun(t *testing.T) {
	var own bytes.Buffer
	before := klog.CaptureState()
	defer before.Restore()
	klog.LogToStderr(false)
	klog.SetOutput(&own)
	kubeconfig := kubeconfigFor(t, refusedURL(t))
	_, _, errOut := run(t, kubeconfig, "get", "pods", "-v=6")
	assert.NotZero(t, strings.Count(errOut, "Config loaded from file"), "-v=6 said nothing: %s", errOut)
	assert.False(t, klog.V(1).Enabled(), "-v outlives its run")
	assert.LessOrEqual(t, own.Len(), 0, "went to the caller's klog: %s", own.String())
	klog.Warning("mine")
	assert.Contains(t, own.String(), "mine", "the caller's klog output is not put back")
}

func TestNothingGoesToTheProcessStreams(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "streams"))
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	for _, args := range [][]string{
		{}, {"get", "--help"}, {"options"}, {"version"}, {"frob"}, {"get", "pods"}, {"get", "pods", "-v=8"},
		{"completion", "zsh"}, {"__complete", "get", ""}, {"config", "view"}, {"apply", "-f", "-"}, {"create", "namespace", "x", "--dry-run=client"},
	} {
		run(t, filepath.Join(t.TempDir(), "kubeconfig"), args...)
	}
	if text, err := os.ReadFile(file.Name()); err != nil || len(text) > 0 {
		t.Errorf("%s %v", text, err)
	}
}
