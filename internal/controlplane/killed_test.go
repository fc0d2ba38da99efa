// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// runChild is what the re-executed test binary does: it starts a control plane and stops it, starts another,
// writes an object and waits for its end by the parent's hand.
func runChild(dir string) {
	c, err := Start(context.Background(), Options{Dir: dir})
	exitOn(err)
	exitOn(c.Stop(context.Background())) // while much is under way, which makes some clients complain
	c, err = Start(context.Background(), Options{Dir: dir})
	exitOn(err)
	_, err = kubernetes.NewForConfigOrDie(c.RESTConfig()).CoreV1().ConfigMaps("default").Create(context.Background(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "written-last"}}, metav1.CreateOptions{})
	exitOn(err)
	fmt.Println(c.space.private.Path)
	select {}
}

func exitOn(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func TestKilledProcess(t *testing.T) {
	living, _ := sharedPlane(t)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	var stderr bytes.Buffer
	child.Stderr = &stderr
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, readErr := bufio.NewReader(stdout).ReadString('\n')
	assert.NoError(t, child.Process.Kill())
	_ = child.Wait() // killed
	require.NoError(t, readErr)
	private := strings.TrimSpace(line)
	require.DirExists(t, private, &stderr)
	assert.Empty(t, stderr.String(), "the child wrote to stderr")

	c := start(t, Options{Dir: dir})
	assert.NoDirExists(t, private, "the killed run's directory after the next start")
	_, err = os.Stat(living.space.clientSocket())
	assert.NoError(t, err, "the start swept a living control plane")
	_, err = clientOf(t, c).CoreV1().ConfigMaps("default").Get(t.Context(), "written-last", metav1.GetOptions{})
	assert.NoError(t, err, "the last write before the kill")
}
