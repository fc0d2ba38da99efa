package crdgen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only the packages with the markers are read: what is wrong with those that they import is nothing to the role, and what is
// wrong with themselves is.
func TestRoleOfWhatImportsNothingThatLoads(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const main = "package main\n\nimport (\n\t_ \"example.com/farm/pkg/client\"\n\t_ \"example.com/farm/torn\"\n)\n\n" +
		"// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n\nfunc main() {}\n"
	write("go.mod", "module example.com/farm\n")
	write("main.go", main)
	write("torn/torn.go", "")
	got, err := Role(t.Context(), dir, nil, []string{"example.com/farm"}, "new")
	if err != nil || !strings.Contains(string(got), "- deployments\n") {
		t.Errorf("%v, %s", err, got)
	}
	// Somebody's file among the clients may import what imports them.
	write("pkg/cron/cron.go", strings.Replace(main, "package main", "package cron", 1))
	write("pkg/client/client.go", "package client\n\nimport _ \"example.com/farm/pkg/cron\"\n")
	got, err = Role(t.Context(), dir, nil, []string{"example.com/farm/pkg/cron"}, "new")
	if err != nil || !strings.Contains(string(got), "- deployments\n") {
		t.Errorf("%v, %s", err, got)
	}
	write("main.go", main+"\nfunc {\n")
	if _, err := Role(t.Context(), dir, nil, []string{"example.com/farm"}, "new"); err == nil || !strings.Contains(err.Error(), "main.go:12:6: ") {
		t.Errorf("an error of syntax: %v", err)
	}
}
