package run

import (
	"slices"
	"testing"
)

func TestControllerEnv(t *testing.T) {
	got := controllerEnv([]string{"PATH=/bin", "KUBECONFIG=/theirs", "KUBERNETES_SERVICE_HOST=h", "KUBERNETES_SERVICE_PORT=1"}, []string{"KUBECONFIG=/ours"})
	if want := []string{"PATH=/bin", "KUBECONFIG=/ours"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestExpand(t *testing.T) {
	got := expand([]string{"--port=$(PORT)", "--file=$(A)$(B)", "$(NONE)", "$PORT"}, []string{"PORT=1", "A=x=y", "PORT=2", "B=$(PORT)"})
	if want := []string{"--port=2", "--file=x=y$(PORT)", "$(NONE)", "$PORT"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
