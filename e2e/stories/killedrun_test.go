// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// crdctl is killed at moments spread over its start, its run and its stop, again and again on the same data, while
// a client writes: all that was acknowledged is there after the last start, and no run trips over what one before left.
func TestRunKilledAtAnyMoment(t *testing.T) {
	w := newWorld(t)
	data, crd := filepath.Join(w.dir, "data"), filepath.Join(w.dir, "crd.yaml")
	require.NoError(t, os.WriteFile(crd, []byte(otherCRD), 0o644))
	args := []string{"run", "--builtin", "-f", crd, "--data-dir", data}
	kubeconfig := filepath.Join(data, "kubeconfig")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	acknowledged := map[string]bool{}

	for round := range 9 {
		run := w.start(w.dir, crdctl, args...)
		switch phase := round % 3; {
		case phase == 0 && round > 0: // during the start
			time.Sleep(time.Duration(random.IntN(1200)) * time.Millisecond)
		case phase == 2: // during the stop
			run.waitFor("Started workers")
			run.signal(os.Interrupt)
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
		default: // while it works
			run.waitFor("Started workers")
			w.writeUntilKilled(kubeconfig, fmt.Sprintf("round-%d", round), acknowledged, func() {
				time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
				run.signal(syscall.SIGKILL)
			})
		}
		run.signal(syscall.SIGKILL)
		<-run.done
	}

	run := w.start(w.dir, crdctl, args...)
	run.waitFor("Started workers")
	kept := map[string]bool{}
	maps, err := clientFor(t, kubeconfig).CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, m := range maps.Items {
		kept[m.Name] = true
	}
	assert.NotEmpty(t, acknowledged, "nothing was written")
	for name := range acknowledged {
		assert.True(t, kept[name], "%s was acknowledged and is lost", name)
	}
	t.Logf("%d objects acknowledged, %d there", len(acknowledged), len(kept))
	assert.Zero(t, run.interrupt(), "exit code: after Ctrl-C")
	w.sweepNewborn()
	w.leavesNothing(w.dir)
}

// sweepNewborn removes the empty directories of runs that were killed before they had a lock, or after they gave it up: they look as if they
// were being made, and crdctl takes them after a minute.
func (w *world) sweepNewborn() {
	w.Helper()
	entries, err := os.ReadDir(w.tmp)
	require.NoError(w, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "crdctl-run-") {
			_ = os.Remove(filepath.Join(w.tmp, e.Name())) // fails for one that is not empty
		}
	}
}

// writeUntilKilled creates objects, one after the other, until kill has returned, and notes those that the API server
// acknowledged.
func (w *world) writeUntilKilled(kubeconfig, prefix string, acknowledged map[string]bool, kill func()) {
	w.Helper()
	client := clientFor(w, kubeconfig).CoreV1().ConfigMaps("default")
	ctx, cancel := context.WithCancel(w.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprintf("%s-%d", prefix, i)
			if _, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err == nil {
				acknowledged[name] = true
			}
		}
	})
	kill()
	cancel()
	writing.Wait()
}

func clientFor(t testing.TB, kubeconfig string) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(configFor(t, kubeconfig))
	require.NoError(t, err)
	return client
}

// configFor is the configuration of a client that has no limit of its own.
func configFor(t testing.TB, kubeconfig string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	config.QPS = -1
	return config
}
