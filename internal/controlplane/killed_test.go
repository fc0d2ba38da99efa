package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), childDir+"="+dir)
	var stderr bytes.Buffer
	child.Stderr = &stderr
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, readErr := bufio.NewReader(stdout).ReadString('\n')
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = child.Wait() // killed
	private := line[:max(0, len(line)-1)]
	if _, err := os.Stat(private); readErr != nil || err != nil {
		t.Fatalf("the child said %q (%v), which is no directory of a killed run: %v\n%s", line, readErr, err, &stderr)
	}
	if stderr.Len() > 0 {
		t.Errorf("the child wrote to stderr:\n%s", &stderr)
	}

	c := start(t, Options{Dir: dir})
	if _, err := os.Stat(private); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of the killed run's directory after the next start: %v", err)
	}
	if _, err := os.Stat(living.space.clientSocket()); err != nil {
		t.Errorf("the start swept a living control plane: %v", err)
	}
	if _, err := clientOf(t, c).CoreV1().ConfigMaps("default").Get(t.Context(), "written-last", metav1.GetOptions{}); err != nil {
		t.Errorf("the last write before the kill: %v", err)
	}
}
