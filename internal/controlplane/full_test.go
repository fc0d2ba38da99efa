// SPDX-License-Identifier: Apache-2.0

//go:build unix

package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// runChildOnFullDisk is what the re-executed test binary does: it starts a control plane, lets every write to the disk
// fail, as on one that is full, and says how that ends.
func runChildOnFullDisk() {
	c, err := Start(context.Background(), Options{})
	exitOn(err)
	signal.Ignore(syscall.SIGXFSZ) // the error is enough
	exitOn(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1, Max: 1}))
	client := kubernetes.NewForConfigOrDie(c.RESTConfig())
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
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), childFull+"=yes")
	output, err := child.CombinedOutput()
	assert.NoError(t, err, string(output))
	for _, want := range []string{"ended: etcd failed: failed to", "file too large", "stopped: <nil>"} {
		assert.Contains(t, string(output), want)
	}
}
