// SPDX-License-Identifier: Apache-2.0

package crdform_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/crdgen"
)

const role = "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\nrules: []\n"

func TestOwnsRole(t *testing.T) {
	for manifest, want := range map[string]bool{
		"":   true, // what a crash left
		role: true,
		role + "---\nkind: Role\nmetadata: {name: manager-role, namespace: a}\n": true,
		role + "---\nkind: RoleBinding\nmetadata: {name: manager-role}\n":        false,
		"kind: ClusterRole\nmetadata: {name: mine}\n":                            false,
		"# mine\n": false,
		"kind: [":  false,
	} {
		assert.Equal(t, want, crdform.OwnsRole([]byte(manifest), "manager-role", []byte(role)), "OwnsRole =: %s", manifest)
	}
}

// Where no marker asks for a role any more, the file goes if it is in the form that controller-gen writes and has the name of the
// settings. One that may be a person's stays, and is told of.
func TestOwnsRoleThatNobodyAsksFor(t *testing.T) {
	made := madeRole(t, manyMarkers, "new")
	const told = "no +kubebuilder:rbac marker asks for it: delete it if it was generated; if it is yours, move it away or set another rbac.dir"
	for what, c := range map[string]struct {
		manifest string
		owned    bool
		told     string
	}{
		"nothing":                         {"", true, ""},
		"as it was made":                  {made, true, ""},
		"as it was made long ago":         {strings.ReplaceAll(made, "metadata:\n", "metadata:\n  creationTimestamp: null\n"), true, ""},
		"with a comment":                  {"# mine\n" + made, false, told},
		"with a comment within":           {strings.Replace(made, "rules:", "rules: # mine", 1), false, told},
		"with labels":                     {strings.Replace(made, "metadata:\n", "metadata:\n  labels:\n    a: b\n", 1), false, told},
		"in another order":                {strings.Replace(made, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n", "kind: ClusterRole\napiVersion: rbac.authorization.k8s.io/v1\n", 1), false, told},
		"indented otherwise":              {strings.Replace(made, "- apps\n", "  - apps\n", 1), false, told},
		"with verbs as people put them":   {strings.Replace(made, "  - get\n", "  - get\n  - create\n", 1), false, told},
		"with another's role":             {made + strings.ReplaceAll(role, "manager-role", "mine"), false, told},
		"more than a role":                {made + "---\nkind: RoleBinding\nmetadata: {name: new}\n", false, ""},
		"names of the markers alone":      {made[strings.LastIndex(made, "---\n"):], false, told},
		"another name, by hand":           {"kind: ClusterRole\nmetadata: {name: mine}\n", false, ""},
		"that name, by hand":              {"kind: ClusterRole\nmetadata: {name: new}\n", false, told},
		"something else in the same name": {"kind: Service\n", false, ""},
	} {
		if got := crdform.OwnsRole([]byte(c.manifest), "new", nil); got != c.owned {
			t.Errorf("%s: OwnsRole = %v, want %v, of\n%s", what, got, c.owned, c.manifest)
		}
		assert.Equal(t, c.told, crdform.AboutLeftRole([]byte(c.manifest), "new"), "%s: AboutLeftRole =", what)
	}
}

// manyMarkers are markers as people write them.
const manyMarkers = `package main

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get,namespace=barn
// +kubebuilder:rbac:groups="",resources=pods,verbs=get,namespace=barn,roleName=pod-reader

func main() {}
`

// madeRole is what controller-gen's generator makes of markers.
func madeRole(t *testing.T, markers, name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/farm\n", "main.go": markers} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	b, err := crdgen.Role(t.Context(), dir, nil, []string{"example.com/farm"}, name)
	require.NoError(t, err)
	return string(b)
}

// The file under another name is made by controller-gen's generator.
func TestOwnsRoleOfAnotherName(t *testing.T) {
	made := func(name string) string { t.Helper(); return madeRole(t, manyMarkers, name) }
	now := made("new")
	require.Equal(t, 2, strings.Count(now, "name: new\n"), "made")
	require.Contains(t, now, "name: pod-reader\n", "made")
	for what, c := range map[string]struct {
		manifest string
		want     bool
	}{
		"the same":                    {now, true},
		"another name":                {made("old"), true},
		"a name in quotes":            {made("1"), true},
		"other rules, the same names": {strings.ReplaceAll(now, "deployments", "daemonsets"), true},
		"other rules, another name":   {strings.ReplaceAll(made("old"), "deployments", "daemonsets"), false},
		"two other names":             {strings.Replace(made("old"), "name: old", "name: older", 1), false},
		"another name, and a comment": {"# mine\n" + made("old"), false},
		"another name, fewer roles":   {made("old")[:strings.LastIndex(made("old"), "---\n")], false},
		"of a marker that went away":  {strings.ReplaceAll(now, "pod-reader", "reader"), true},
		"of such a marker, and more":  {"# mine\n" + strings.ReplaceAll(now, "pod-reader", "reader"), false},
	} {
		if got := crdform.OwnsRole([]byte(c.manifest), "new", []byte(now)); got != c.want {
			t.Errorf("%s: OwnsRole = %v, want %v, of\n%s", what, got, c.want, c.manifest)
		}
	}
	if fewer := madeRole(t, strings.ReplaceAll(manyMarkers, ",roleName=pod-reader", ""), "new"); !crdform.OwnsRole([]byte(now), "new", []byte(fewer)) {
		t.Errorf("OwnsRole = false, of\n%s\nwhere the markers ask for\n%s", now, fewer)
	}
	const act = "it has the role old, but rbac.roleName is new: delete it if it was generated under the old name; if it is yours, move it away or set another rbac.dir"
	assert.Equal(t, act, crdform.AboutRole([]byte(made("old")), "new", []byte(now)), "AboutRole")
	assert.Empty(t, crdform.AboutRole([]byte("kind: Service\n"), "new", []byte(now)), "AboutRole of a service")
}

// The role that kubebuilder scaffolds is no one's work; one that a person began from it is.
func TestPlaceholderRole(t *testing.T) {
	placeholder := "kind: ClusterRole\nmetadata:\n  labels: {app.kubernetes.io/name: shop, app.kubernetes.io/managed-by: kustomize}\n  name: manager-role\n" +
		"rules:\n- apiGroups: [\"\"]\n  resources: [\"pods\"]\n  verbs: [\"get\", \"list\", \"watch\"]\n"
	for manifest, want := range map[string]bool{
		placeholder: true,
		role:        false,
		"":          false,
		placeholder + "- apiGroups: [\"\"]\n  resources: [\"secrets\"]\n  verbs: [\"get\"]\n": false,
		strings.Replace(placeholder, "\"pods\"", "\"secrets\"", 1):                            false,
		strings.Replace(placeholder, ", app.kubernetes.io/managed-by: kustomize", "", 1):      false,
		placeholder + "---\nkind: Role\nmetadata: {name: other}\n":                            false,
	} {
		assert.Equal(t, want, crdform.PlaceholderRole([]byte(manifest)), "%s", manifest)
	}
}
