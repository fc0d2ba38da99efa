// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRestartOnOneDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first, err := Start(t.Context(), Options{Dir: dir, PendingPods: true})
	require.NoError(t, err)
	t.Cleanup(func() { stop(t, first) })
	client := clientOf(t, first)
	_, err = client.CoreV1().ServiceAccounts("default").Get(t.Context(), "default", metav1.GetOptions{})
	assert.NoError(t, err, "right after the start")
	_, err = client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().Pods("default").Create(t.Context(), pod("kept"), metav1.CreateOptions{})
	require.NoError(t, err)

	_, err = Start(t.Context(), Options{Dir: dir})
	want := "start control plane: " + dir + " is in use by another control plane; stop that one or choose another directory"
	assert.EqualError(t, err, want, "second instance")

	// Once a controller has made a pod, all of them, and the stand-in for the kubelet, have seen "kept".
	create(t, first, "default", "workloads.yaml")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		pods, err := client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=test"})
		require.NoError(c, err)
		assert.NotEmpty(c, pods.Items)
	}, patience, tick)
	kept, err := client.CoreV1().Pods("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, corev1.PodPending, kept.Status.Phase, "with PendingPods")
	select {
	case <-first.Done():
		t.Errorf("done before Stop: %v", first.Err())
	default:
	}

	private := first.space.private.Path
	kubeconfig, err := os.ReadFile(first.Kubeconfig())
	require.NoError(t, err)
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Stop(expired); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("stop with an expired context: %v", err)
	}
	for range 2 { // the second has nothing to do
		stop(t, first)
	}
	<-first.Done()
	assert.NoError(t, first.Err(), "after Stop, Err() =")
	assert.NoDirExists(t, private, "after Stop")

	second := start(t, Options{Dir: dir})
	client = clientOf(t, second)
	_, err = client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	assert.NoError(t, err, "after the restart")
	again, err := os.ReadFile(second.Kubeconfig())
	require.NoError(t, err)
	assert.Equal(t, string(kubeconfig), string(again), "after the restart")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		kept, err := client.CoreV1().Pods("default").Get(t.Context(), "kept", metav1.GetOptions{})
		require.NoError(c, err)
		assert.Equal(c, corev1.PodRunning, kept.Status.Phase)
	}, patience, tick, "pod of before the restart")
}

// TestTeardownBeforeServer covers a start that ended with its store and its port, but without a server.
func TestTeardownBeforeServer(t *testing.T) {
	t.Setenv("TMPDIR", shortDir(t))
	c := &ControlPlane{stopped: make(chan struct{})}
	var err error
	c.space, err = openWorkspace("")
	require.NoError(t, err)
	c.store, err = startEtcd(c.space, false)
	require.NoError(t, err)
	c.listener, err = listen(0)
	require.NoError(t, err)
	stop(t, c)
	expectEmpty(t, os.TempDir())
	expectFree(t, c.listener.Addr().String())
}

func TestTemporaryStateAndKubeconfig(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "config")
	t.Setenv("TMPDIR", shortDir(t))
	c := start(t, Options{Kubeconfig: kubeconfig})
	assert.Equal(t, kubeconfig, c.Kubeconfig(), "Kubeconfig() =")
	content, err := os.ReadFile(kubeconfig)
	require.NoError(t, err)
	assert.Contains(t, string(content), c.URL())
	stop(t, c)
	expectEmpty(t, os.TempDir())
	expectEmpty(t, filepath.Dir(kubeconfig))
}

func TestStartRefuses(t *testing.T) {
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer closeIt(t, taken)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, test := range []struct {
		name    string
		tmpdir  string
		options Options
		want    string
	}{
		{"port taken", t.TempDir(), Options{Port: taken.Addr().(*net.TCPAddr).Port},
			`^start control plane: port \d+ of 127\.0\.0\.1 is in use; stop the program that uses it or choose another port$`},
		{"state directory is a file", t.TempDir(), Options{Dir: file}, `^start control plane: create data directory: mkdir .*file: not a directory; choose a writable one$`},
		{"temporary directory too long", longDir(t), Options{}, `c\.sock is too long for a unix socket; set TMPDIR to a shorter directory$`},
		{"kubeconfig in no directory", t.TempDir(), Options{Kubeconfig: filepath.Join(file, "config")}, `^start control plane: the kubeconfig .* cannot be written: .* is not a directory; create it or choose another file$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TMPDIR", test.tmpdir)
			_, err := Start(t.Context(), test.options)
			require.Error(t, err)
			assert.Regexp(t, test.want, err.Error())
			expectEmpty(t, test.tmpdir)
		})
	}
}

func longDir(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", socketLimit))
	require.NoError(t, os.Mkdir(dir, 0o700))
	return dir
}

func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries, dir)
}

// expectFree holds that another process can listen at an address.
func expectFree(t *testing.T, address string) {
	t.Helper()
	l, err := net.Listen("tcp4", address)
	require.NoError(t, err, "the port is not free again")
	closeIt(t, l)
}

// TestSlowDown holds etcd's private fields to the names that slowDown knows, and what it serves to going on.
func TestSlowDown(t *testing.T) {
	c, client := sharedPlane(t)
	assert.True(t, slowDown(c.store.etcd.Server), "etcd's ticker is not where it was")
	_, err := client.CoreV1().Namespaces().Get(t.Context(), "default", metav1.GetOptions{})
	assert.NoError(t, err)
}
