package crd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\nrules: []\n"

func TestOwnsRole(t *testing.T) {
	for manifest, want := range map[string]bool{
		"":   true, // what a crash left
		role: true,
		role + "---\nkind: Role\nmetadata: {name: manager-role, namespace: a}\n": true,
		role + "---\nkind: RoleBinding\nmetadata: {name: manager-role}\n":        false,
		"kind: ClusterRole\nmetadata: {name: mine}\n":                            false,
		"kind: [": false,
	} {
		if got := OwnsRole([]byte(manifest), "manager-role", nil); got != want {
			t.Errorf("OwnsRole = %v, want %v, of\n%s", got, want, manifest)
		}
	}
}

// The file under another name is made by controller-gen's generator, of markers as people write them.
func TestOwnsRoleOfAnotherName(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/farm\n",
		"main.go": `package main

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get,namespace=barn
// +kubebuilder:rbac:groups="",resources=pods,verbs=get,namespace=barn,roleName=pod-reader

func main() {}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	made := func(name string) string {
		t.Helper()
		b, err := Role(t.Context(), dir, nil, []string{"example.com/farm"}, name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	now := made("new")
	if strings.Count(now, "name: new\n") != 2 || !strings.Contains(now, "name: pod-reader\n") {
		t.Fatalf("made\n%s", now)
	}
	for what, c := range map[string]struct {
		manifest string
		want     bool
	}{
		"the same":                     {now, true},
		"another name":                 {made("old"), true},
		"a name in quotes":             {made("1"), true},
		"other rules, the same names":  {strings.ReplaceAll(now, "deployments", "daemonsets"), true},
		"other rules, another name":    {strings.ReplaceAll(made("old"), "deployments", "daemonsets"), false},
		"two other names":              {strings.Replace(made("old"), "name: old", "name: older", 1), false},
		"another name, and a comment":  {"# mine\n" + made("old"), false},
		"another name, fewer roles":    {made("old")[:strings.LastIndex(made("old"), "---\n")], false},
		"another name of the marker's": {strings.ReplaceAll(now, "pod-reader", "reader"), false},
	} {
		if got := OwnsRole([]byte(c.manifest), "new", []byte(now)); got != c.want {
			t.Errorf("%s: OwnsRole = %v, want %v, of\n%s", what, got, c.want, c.manifest)
		}
	}
	const act = "it has the role old, and rbac.roleName is new: delete the file if it was generated under the old name, or if it is yours, move it away or name another rbac.dir"
	if got := AboutRole([]byte(made("old")), "new", []byte(now)); got != act {
		t.Errorf("AboutRole: %s", got)
	}
	if got := AboutRole([]byte("kind: Service\n"), "new", []byte(now)); got != "" {
		t.Errorf("AboutRole of a service: %s", got)
	}
}

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
	write("main.go", main+"\nfunc {\n")
	if _, err := Role(t.Context(), dir, nil, []string{"example.com/farm"}, "new"); err == nil || !strings.Contains(err.Error(), "main.go:12:6: ") {
		t.Errorf("an error of syntax: %v", err)
	}
}
