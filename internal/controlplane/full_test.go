//go:build unix

package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// runChildOnFullDisk is what the re-executed test binary does: it starts a control plane, lets every write to the disk
// fail, as on one that is full, and says how that ends.
func runChildOnFullDisk() {
	c, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	signal.Ignore(syscall.SIGXFSZ) // the error is enough
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: 1}); err != nil {
		fmt.Println(err)
		return
	}
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 1000 {
		select {
		case <-c.Done():
		default:
			ctx, cancel := context.WithTimeout(context.Background(), patience/100)
			_, _ = client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}, Data: map[string]string{"a": strings.Repeat("x", 100_000)},
			}, metav1.CreateOptions{})
			cancel()
		}
	}
	<-c.Done()
	fmt.Println("ended:", c.Err())
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	fmt.Println("stopped:", c.Stop(ctx))
}

func TestFullDisk(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), childFull+"=yes")
	var stdout, stderr bytes.Buffer
	child.Stdout, child.Stderr = &stdout, &stderr
	assert.NoError(t, child.Run(), "the process: %s", &stderr)
	for _, want := range []string{"ended: etcd failed: failed to", "file too large", "stopped: <nil>"} {
		assert.Contains(t, stdout.String(), want, "no: %s", &stdout)
	}
}
