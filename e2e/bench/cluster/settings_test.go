package main

import (
	"strings"
	"testing"
	"time"
)

func TestSettings(t *testing.T) {
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	if s, err := readSettings(get); err != nil || s.runs != 3 || s.idle != 20*time.Second || s.objects != 10000 || !s.parts["start"] || !s.parts["idle"] || !s.parts["save"] {
		t.Errorf("%+v, %v", s, err)
	}
	env["BENCH_CLUSTER"], env["BENCH_IDLE"] = "idle,save", "3"
	if s, err := readSettings(get); err != nil || s.idle != 3*time.Second || s.parts["start"] || !s.parts["idle"] || !s.parts["save"] {
		t.Errorf("%+v, %v", s, err)
	}
	for name, want := range map[string]string{"BENCH_CLUSTER": "there are start, idle, save", "BENCH_IDLE": "is not a number", "BENCH_RUNS": "is not a number", "BENCH_OBJECTS": "is not a number"} {
		bad := func(n string) string {
			if n == name {
				return "much"
			}
			return ""
		}
		if _, err := readSettings(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readSettings(func(n string) string { return map[string]string{"BENCH_IDLE": "0"}[n] }); err == nil {
		t.Error("idle for no time")
	}
}

func TestForbidden(t *testing.T) {
	for variable, want := range map[string]bool{
		"KUBECONFIG=/x": true, "KUBEBUILDER_ASSETS=/x": true, "TEST_ASSET_ETCD=/x": true, "USE_EXISTING_CLUSTER=true": true,
		"TMPDIR=/x": true, "GOCACHE=/x": true, "PATH=/bin": false, "GOFLAGS=-mod=mod": false, "HOME=/KUBE": false,
	} {
		if forbidden(variable) != want {
			t.Errorf("%s: %t", variable, !want)
		}
	}
}
