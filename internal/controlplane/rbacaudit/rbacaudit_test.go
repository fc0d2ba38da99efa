// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"sigs.k8s.io/yaml"
)

var account = Account{Namespace: "default", Name: "foo"}

func rule(verbs, groups, resources string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{Verbs: strings.Split(verbs, ","), APIGroups: strings.Split(groups, ","), Resources: strings.Split(resources, ","), ResourceNames: names}
}

func TestReport(t *testing.T) {
	content, err := os.ReadFile("testdata/reports.yaml")
	require.NoError(t, err)
	var cases map[string]struct {
		Used
		Grants  []Grant
		Markers bool
		Want    string
	}
	require.NoError(t, yaml.UnmarshalStrict(content, &cases))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.Want, strings.Join(Compare(c.Used, c.Grants).Lines(account, c.Markers), "\n")+"\n")
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
	ask(yes, "jane", scale)
	assert.Equal(t, []Tally{
		{Request: Request{Verb: "get", Group: "apps", Resource: "deployments/scale", Namespace: "a", Name: "b"}, Allowed: 1, Refused: 1},
		{Request: Request{Verb: "get", Path: "/healthz"}, Allowed: 1},
	}, r.Requests(account.User()).Tallies)
	assert.Empty(t, r.Requests("jane").Tallies, "recorded of a user who is not a service account")
}
