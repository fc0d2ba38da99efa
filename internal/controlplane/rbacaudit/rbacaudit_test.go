package rbacaudit

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

var account = Account{Namespace: "default", Name: "foo"}

func used(verb, group, resource, namespace string, allowed bool) Tally {
	t := Tally{Request: Request{Verb: verb, Group: group, Resource: resource, Namespace: namespace}}
	if t.Refused = 1; allowed {
		t.Allowed, t.Refused = 1, 0
	}
	return t
}

func rule(verbs, groups, resources string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: strings.Split(verbs, ","), APIGroups: strings.Split(groups, ","), Resources: strings.Split(resources, ","), ResourceNames: names}
}

func TestReport(t *testing.T) {
	for name, test := range map[string]struct {
		used    []Tally
		grants  []Grant
		full    bool
		markers bool
		want    string
	}{
		"nothing to say": {
			used:   []Tally{used("get", "apps", "deployments", "a", true)},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("get", "apps", "deployments")}},
			want:   "default/foo used all the permissions that its roles grant, and needed no other",
		},
		"missing, in two namespaces": {
			used: []Tally{used("create", "apps", "deployments", "a", false), used("delete", "apps", "deployments", "b", false), used("update", "x.io", "foos/status", "b", false)},
			want: `default/foo was refused what its roles do not grant:
  create deployments.apps in a
  delete deployments.apps in b
  update foos.x.io/status in b
grant it, if the controller needs it, with
  - {apiGroups: ["apps"], resources: [deployments], verbs: [create, delete]}
  - {apiGroups: ["x.io"], resources: [foos/status], verbs: [update]}`,
		},
		"refused first, granted meanwhile": {
			used:   []Tally{{Request: Request{Verb: "list", Resource: "pods"}, Refused: 3, Allowed: 1}},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("list", "", "pods")}},
			want:   "default/foo used all the permissions that its roles grant, and needed no other",
		},
		"a role that is too small by its namespace": {
			used:    []Tally{used("list", "", "pods", "", false), used("list", "", "pods", "a", true)},
			grants:  []Grant{{Role: "Role a/foo", Namespace: "a", Rule: rule("list", "", "pods")}},
			markers: true,
			want: `default/foo was refused what its roles do not grant:
  list pods (roles grant that in a only: ask there, or bind a ClusterRole by a ClusterRoleBinding)`,
		},
		"missing, by markers": {
			used:    []Tally{used("list", "", "pods", "", false), used("get", "apps", "deployments", "a", false)},
			markers: true,
			want: `default/foo was refused what its roles do not grant:
  list pods
  get deployments.apps in a
grant it, if the controller needs it, with
  // +kubebuilder:rbac:groups="",resources=pods,verbs=list
  // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get`,
		},
		"unused": {
			used:   []Tally{used("get", "apps", "deployments", "a", true), {Request: Request{Verb: "get", Resource: "secrets", Namespace: "a", Name: "mine"}, Allowed: 1}},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("get,delete,patch", "apps", "deployments")}, {Role: "Role a/foo", Namespace: "a", Rule: rule("get", "", "secrets", "mine", "other")}},
			want: `default/foo holds what it did not use in this run:
  ClusterRole foo: delete, patch deployments.apps
  Role a/foo: get secrets other in a`,
		},
		"list, where the server streams": {
			used:   []Tally{used("watch", "apps", "deployments", "", true), used("watch", "", "pods", "", true)},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("list,watch", "apps", "deployments,daemonsets")}, {Role: "ClusterRole foo", Rule: rule("list,watch", "", "pods")}},
			want: `default/foo holds what it did not use in this run:
  ClusterRole foo: list, watch daemonsets.apps`,
		},
		"events, by either of their groups": {
			used:   []Tally{used("create", "", "events", "a", true)},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("create,patch", ",events.k8s.io", "events")}},
			want: `default/foo holds what it did not use in this run:
  ClusterRole foo: patch events
  ClusterRole foo: patch events.events.k8s.io`,
		},
		"missing, by name": {
			used: []Tally{
				{Request: Request{Verb: "bind", Group: "rbac.authorization.k8s.io", Resource: "clusterroles", Name: "edit"}, Refused: 1},
				{Request: Request{Verb: "approve", Group: "certificates.k8s.io", Resource: "signers", Name: "example.com/one"}, Refused: 1},
			},
			markers: true,
			want: `default/foo was refused what its roles do not grant:
  approve signers.certificates.k8s.io example.com/one
  bind clusterroles.rbac.authorization.k8s.io edit
instead of escalate or bind, its roles may grant what it grants to others
grant it, if the controller needs it, with
  // +kubebuilder:rbac:groups=certificates.k8s.io,resources=signers,resourceNames=example.com/one,verbs=approve
  // +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,resourceNames=edit,verbs=bind`,
		},
		"more than is kept": {
			used:   []Tally{used("get", "", "pods", "a", true)},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("get,list", "", "pods")}},
			full:   true,
			want: `default/foo holds what it may have used or not (only 64 names of a kind and 10000 different requests are told apart):
  ClusterRole foo: list pods
default/foo made more than 10000 different requests; what was refused or needed beyond these is not known`,
		},
		"wide": {
			used:   []Tally{used("get", "apps", "deployments", "a", true), used("list", "apps", "deployments", "", true), {Request: Request{Verb: "get", Path: "/healthz"}, Allowed: 1}},
			grants: []Grant{{Role: "ClusterRole foo", Rule: rule("*", "*", "*")}, {Role: "ClusterRole foo", Rule: rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz", "/livez"}}}},
			want: `default/foo holds what it did not use in this run:
  ClusterRole foo: get path /livez
of what "*" grants to default/foo, it used:
  ClusterRole foo: get, list deployments.apps`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(Compare(Used{Tallies: test.used, Full: test.full}, test.grants).Lines(account, test.markers), "\n")
			assert.Equal(t, test.want, got)
		})
	}
}

func TestRecorder(t *testing.T) {
	r := NewRecorder()
	yes, no := r.Listen(authorizerfactory.NewAlwaysAllowAuthorizer()), r.Listen(authorizerfactory.NewAlwaysDenyAuthorizer())
	ask := func(a authorizer.Authorizer, name string, attributes authorizer.AttributesRecord) {
		attributes.User = &user.DefaultInfo{Name: name}
		ctx := genericapirequest.WithRequestInfo(context.WithValue(t.Context(), inquiryKey{}, &inquiry{}), &genericapirequest.RequestInfo{
			IsResourceRequest: attributes.ResourceRequest, Verb: attributes.Verb, APIGroup: attributes.APIGroup,
			Resource: attributes.Resource, Subresource: attributes.Subresource, Path: attributes.Path,
		})
		_, _, err := a.Authorize(ctx, attributes)
		require.NoError(t, err)
	}
	scale := authorizer.AttributesRecord{Verb: "get", APIGroup: "apps", Resource: "deployments", Subresource: "scale", Namespace: "a", Name: "b", ResourceRequest: true}
	ask(yes, account.User(), scale)
	ask(no, account.User(), scale)
	ask(yes, account.User(), authorizer.AttributesRecord{Verb: "get", Path: "/healthz"})
	ask(yes, "somebody", scale)
	got := r.Requests(account.User()).Tallies
	if len(got) != 2 || got[0] != (Tally{Request: Request{Verb: "get", Group: "apps", Resource: "deployments/scale", Namespace: "a", Name: "b"}, Allowed: 1, Refused: 1}) ||
		got[1].Path != "/healthz" {
		t.Errorf("recorded %+v", got)
	}
	assert.Empty(t, r.Requests("somebody").Tallies, "recorded of somebody who is no service account")
}
