package controlplane

import (
	"os"
	"regexp"
	"testing"
)

func TestVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (\S+)`).FindSubmatch(mod)
	if required == nil || string(required[1]) != KubernetesVersion {
		t.Errorf("go.mod requires k8s.io/kubernetes %q, KubernetesVersion is %s", required, KubernetesVersion)
	}
	_, client := sharedPlane(t)
	v, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if v.GitVersion != KubernetesVersion {
		t.Errorf("/version says %s, want %s", v.GitVersion, KubernetesVersion)
	}
}
