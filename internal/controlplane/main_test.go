package controlplane

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// patience bounds every wait of these tests. It is meant for a machine that is busy compiling.
const patience = 2 * time.Minute

const (
	// childDir names, in the environment of a re-executed test binary, the state directory to run on until killed.
	childDir = "CRDCTL_TEST_CHILD_DIR"
	// childFull makes it run on a disk that gets full instead.
	childFull = "CRDCTL_TEST_CHILD_FULL"
)

func TestMain(m *testing.M) {
	silenceKlog()
	if os.Getenv(childFull) != "" {
		runChildOnFullDisk()
		return
	}
	if dir := os.Getenv(childDir); dir != "" {
		runChild(dir)
		return
	}
	tmp, err := os.MkdirTemp("", "crdctl-test-")
	if err == nil {
		err = os.Setenv("TMPDIR", tmp) // the control planes of other processes are none of our business
	}
	home := ""
	if err == nil {
		home, err = os.MkdirTemp("", "crdctl-test-home-")
	}
	if err == nil {
		err = os.Setenv("XDG_CONFIG_HOME", home) // the key of seals is not that of the user who tests
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(home) // or it is left, see below
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
	os.Exit(code)
}

func silenceKlog() {
	fs := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(fs)
	for _, f := range []string{"logtostderr=false", "alsologtostderr=false", "stderrthreshold=FATAL"} {
		name, value, _ := strings.Cut(f, "=")
		if err := fs.Set(name, value); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(io.Discard)
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
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last error
	err := wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	require.NoError(t, err, "%s: %v", what, last)
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
