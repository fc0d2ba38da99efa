// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// grantsOf are rules, one resource a line.
func grantsOf(rules []rbacv1.PolicyRule) string {
	var lines []string
	for _, r := range rules {
		for _, resource := range r.Resources {
			line := strings.TrimSuffix(resource+"."+r.APIGroups[0], ".") + ": " + strings.Join(r.Verbs, " ")
			if len(r.ResourceNames) > 0 {
				line += fmt.Sprint(" of ", strings.Join(r.ResourceNames, " "))
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Each right is there for something that the loop does, and goes when it does not do that.
func TestClusterRole(t *testing.T) {
	const (
		events = "events: create patch"
		crds   = "customresourcedefinitions.apiextensions.k8s.io: get of foos.example.com"
		reads  = "foos.example.com: list watch"
		writes = reads + " patch" // with no finalize hook too: the finalizers of a former one are to be taken away
		status = "foos/status.example.com: patch"
		finals = "foos/finalizers.example.com: update"
		child  = ": get list watch create patch delete"
	)
	foos := func(statuses ...bool) *apiextv1.CustomResourceDefinition {
		return definition("Foo", "foos", apiextv1.NamespaceScoped, statuses...)
	}
	hook := func(owns ...string) config.Loop { return config.Loop{Hook: "http://hooks/sync", Owns: owns} }
	for name, test := range map[string]struct {
		loop config.Loop
		crd  *apiextv1.CustomResourceDefinition
		want []string
	}{
		"nothing decides":                 {config.Loop{}, foos(true), []string{crds, events, reads}},
		"a hook that makes a status only": {hook(), foos(true), []string{crds, events, writes, status}},
		"children": {hook("apps/v1/Deployment", "v1/ConfigMap"), foos(true),
			[]string{"configmaps" + child, crds, "deployments.apps" + child, events, writes, finals, status}},
		"no status subresource":             {hook(), foos(false), []string{crds, events, writes}},
		"a version with it and one without": {hook(), foos(true, false), []string{crds, events, writes, status}},
		"finalizers":                        {config.Loop{Hook: "http://a/", FinalizeHook: "http://a/"}, foos(true), []string{crds, events, writes, status}},
		"related objects": {config.Loop{Hook: "http://a/", CustomizeHook: "http://a/", Related: []string{"v1/Node"}}, foos(true),
			[]string{crds, events, writes, status, "nodes: list watch"}},
		"children of a kind that no CRD has": {hook("x.io/v1/Thing=thingies"), foos(true), []string{crds, events, writes, finals, status, "thingies.x.io" + child}},
		"children of the kind itself":        {hook("example.com/v1/Foo"), foos(true), []string{crds, events, "foos.example.com" + child, finals, status}},
	} {
		set := made(t, options(test.loop, test.crd))
		slices.Sort(test.want)
		assert.Equal(t, strings.Join(test.want, "\n"), grantsOf(find[*rbacv1.ClusterRole](t, set, "cron").Rules), name)
		assert.Equal(t, "leases.coordination.k8s.io: create\nleases.coordination.k8s.io: get update of cron", grantsOf(find[*rbacv1.Role](t, set, "cron-system/cron-leases").Rules), name)
	}
}

// With namespaces, a role of the cluster grants only what is in no namespace.
func TestRolesOfNamespaces(t *testing.T) {
	loop := config.Loop{Hook: "http://a/", Owns: []string{"v1/ConfigMap"}, Namespaces: []string{"b", "a"}}
	set := made(t, options(loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true)))
	assert.Equal(t, "customresourcedefinitions.apiextensions.k8s.io: get of foos.example.com", grantsOf(find[*rbacv1.ClusterRole](t, set, "cron").Rules), "the cluster")
	for _, namespace := range loop.Namespaces {
		const want = "configmaps: get list watch create patch delete\nevents: create patch\nfoos.example.com: list watch patch\nfoos/finalizers.example.com: update\nfoos/status.example.com: patch"
		assert.Equal(t, want, grantsOf(find[*rbacv1.Role](t, set, namespace+"/cron").Rules), namespace)
		if b := find[*rbacv1.RoleBinding](t, set, namespace+"/cron"); b.Subjects[0].Namespace != "cron-system" || b.RoleRef.Kind != "Role" {
			t.Errorf("%s: %+v", namespace, b)
		}
	}

	set = made(t, options(loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true), definition("Bar", "bars", apiextv1.ClusterScoped, true)))
	const want = "bars.example.com: list watch patch\nbars/finalizers.example.com: update\nbars/status.example.com: patch\n" +
		"customresourcedefinitions.apiextensions.k8s.io: get of bars.example.com foos.example.com\nevents: create patch"
	assert.Equal(t, want, grantsOf(find[*rbacv1.ClusterRole](t, set, "cron").Rules), "with a kind of the cluster")
}

// What cannot be derived is reported.
func TestNotesOnRights(t *testing.T) {
	loop := config.Loop{Hook: "http://a/", CustomizeHook: "http://a/", Owns: []string{"rbac.authorization.k8s.io/v1/Role"}}
	notes := made(t, options(loop, definition("Foo", "foos", apiextv1.NamespaceScoped, true))).Notes
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "roles are owned: the controller can only grant") || !strings.HasPrefix(notes[1], "the customize hook may ask for any kind") {
		t.Errorf("%q", notes)
	}

	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"t/a.yaml": "", "t/customize.yml.tmpl": "[]"})
	notes = packed(t, root, config.Loop{Template: "t"}).Notes
	require.Len(t, notes, 1, "templates")
	assert.True(t, strings.HasPrefix(notes[0], "customize.yml.tmpl may ask for any kind"), "templates")
	set := packed(t, root, config.Loop{Template: "t", Related: []string{"v1/Node"}})
	if rules := grantsOf(find[*rbacv1.ClusterRole](t, set, "cron").Rules); len(set.Notes) > 0 || !strings.Contains(rules, "nodes: list watch") {
		t.Errorf("templates with related kinds: %q\n%s", set.Notes, rules)
	}
}
