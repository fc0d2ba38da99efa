// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

const (
	// patience bounds every wait of these tests. It is meant for a machine that is busy compiling.
	patience = 2 * time.Minute
	tick     = 20 * time.Millisecond
)

const (
	// childDir names, in the environment of a re-executed test binary, the state directory to run on until killed.
	childDir = "CRDCTL_TEST_CHILD_DIR"
	// childFull makes it run on a disk that gets full instead.
	childFull = "CRDCTL_TEST_CHILD_FULL"
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	if os.Getenv(childFull) != "" {
		runChildOnFullDisk()
		return
	}
	if dir := os.Getenv(childDir); dir != "" {
		runChild(dir)
		return
	}
	os.Exit(safefstest.Run(tests{m}))
}

type tests struct{ *testing.M }

// Run runs the tests apart from the control planes of other processes, and reports what they leave in the temporary directory.
func (m tests) Run() int {
	tmp, err := os.MkdirTemp("", "crdctl-test-")
	if err := errors.Join(err, os.Setenv("TMPDIR", tmp)); err != nil {
		panic(err)
	}
	code := m.M.Run()
	if sharedUsed.Load() {
		if c, err := shared(); err == nil {
			if err := c.Stop(context.Background()); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	if entries, _ := os.ReadDir(tmp); len(entries) > 0 {
		fmt.Fprintf(os.Stderr, "left in the temporary directory: %v\n", entries)
		code = 1
	}
	_ = os.RemoveAll(tmp)
	return code
}

// shared is one control plane for all tests that need nothing special of it.
var (
	sharedUsed atomic.Bool
	shared     = sync.OnceValues(func() (*ControlPlane, error) {
		sharedUsed.Store(true)
		return Start(context.Background(), Options{})
	})
)

func sharedPlane(t *testing.T) (*ControlPlane, kubernetes.Interface) {
	t.Helper()
	c, err := shared()
	require.NoError(t, err)
	return c, clientOf(t, c)
}

func clientOf(t testing.TB, c *ControlPlane) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	return client
}

func start(t testing.TB, o Options) *ControlPlane {
	t.Helper()
	c, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { stop(t, c) })
	return c
}

func stop(t testing.TB, c *ControlPlane) {
	t.Helper()
	assert.NoError(t, c.Stop(context.Background()))
}

// eventually polls until check returns nil, and fails with its last error.
func eventually(t *testing.T, what string, check func(context.Context) error) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.NoError(c, check(t.Context())) }, patience, tick, what)
}

// create creates the objects of a manifest in testdata, in which NAMESPACE stands for a namespace.
func create(t testing.TB, c *ControlPlane, namespace, file string) (all []*unstructured.Unstructured) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(strings.ReplaceAll(string(content), "NAMESPACE", namespace)), len(content))
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return all
		}
		resource, _ := meta.UnsafeGuessKindToResource(object.GroupVersionKind())
		_, err := client.Resource(resource).Namespace(object.GetNamespace()).Create(t.Context(), object, metav1.CreateOptions{})
		require.NoError(t, err)
		all = append(all, object)
	}
}

func closeIt(t *testing.T, c io.Closer) {
	t.Helper()
	assert.NoError(t, c.Close())
}

// shortDir is a temporary directory whose path leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func newNamespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	ns, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return ns.Name
}
