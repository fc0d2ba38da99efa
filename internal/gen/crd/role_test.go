package crd

import "testing"

func TestOwnsRole(t *testing.T) {
	const role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\nrules: []\n"
	for manifest, want := range map[string]bool{
		"":   true, // what a crash left
		role: true,
		role + "---\nkind: Role\nmetadata: {name: manager-role, namespace: a}\n": true,
		role + "---\nkind: RoleBinding\nmetadata: {name: manager-role}\n":        false,
		"kind: ClusterRole\nmetadata: {name: mine}\n":                            false,
		"kind: [": false,
	} {
		if got := OwnsRole([]byte(manifest), "manager-role"); got != want {
			t.Errorf("OwnsRole = %v, want %v, of\n%s", got, want, manifest)
		}
	}
}
