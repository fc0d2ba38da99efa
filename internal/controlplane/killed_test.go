package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
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
	if err == nil {
		err = c.Stop(context.Background()) // while much is under way, which makes some clients complain
	}
	if err == nil {
		c, err = Start(context.Background(), Options{Dir: dir})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err == nil {
		_, err = client.CoreV1().ConfigMaps("default").Create(context.Background(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "written-last"}}, metav1.CreateOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.space.private.Path)
	select {}
}

func TestKilledProcess(t *testing.T) {
	living, _ := sharedPlane(t)
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), childDir+"="+dir)
	var stderr bytes.Buffer
	child.Stderr = &stderr
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, readErr := bufio.NewReader(stdout).ReadString('\n')
	assert.NoError(t, child.Process.Kill())
	_ = child.Wait() // killed
	private := line[:max(0, len(line)-1)]
	if _, err := os.Stat(private); readErr != nil || err != nil {
		t.Fatalf("the child said %q (%v), which is no directory of a killed run: %v\n%s", line, readErr, err, &stderr)
	}
	assert.LessOrEqual(t, stderr.Len(), 0, "the child wrote to stderr:\n%s", &stderr)

	c := start(t, Options{Dir: dir})
	_, err = os.Stat(private)
	assert.ErrorIs(t, err, fs.ErrNotExist, "stat of the killed run's directory after the next start")
	_, err = os.Stat(living.space.clientSocket())
	assert.NoError(t, err, "the start swept a living control plane")
	_, err = clientOf(t, c).CoreV1().ConfigMaps("default").Get(t.Context(), "written-last", metav1.GetOptions{})
	assert.NoError(t, err, "the last write before the kill")
}
