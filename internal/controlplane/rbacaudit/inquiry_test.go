// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// question is what an API server asks its authorizer while it answers a request.
type question struct {
	request Request
	allowed bool
	cel     bool   // without the request's context
	user    string // the account, if empty
}

// conversation is one request, and what comes of it.
type conversation struct {
	info         genericapirequest.RequestInfo // what is asked for
	impersonates bool
	refused      bool // the request itself
	then         []question
	code         int
}

// hold has a recorder hear of a request as an API server makes it hear.
func (c conversation) hold(r *Recorder) {
	c.info.IsResourceRequest = true
	first := Request{Verb: c.info.Verb, Group: c.info.APIGroup, Resource: c.info.Resource, Namespace: c.info.Namespace, Name: c.info.Name}
	handler := r.Follow(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		ctx := genericapirequest.WithRequestInfo(request.Context(), &c.info)
		for i, q := range append([]question{{request: first, allowed: !c.refused}}, c.then...) {
			a := authorizer.AttributesRecord{User: &user.DefaultInfo{Name: cmp.Or(q.user, account.User())}, Verb: q.request.Verb, APIGroup: q.request.Group,
				Resource: q.request.Resource, Namespace: q.request.Namespace, Name: q.request.Name, ResourceRequest: true}
			if i == 0 {
				a.Subresource = c.info.Subresource
			}
			asked := ctx
			if q.cel {
				asked = context.Background()
			}
			r.hear(asked, a, q.allowed)
		}
		w.WriteHeader(c.code)
	}))
	request := httptest.NewRequest(http.MethodPost, "/", nil)
	if c.impersonates {
		request.Header.Set("Impersonate-User", account.User())
	}
	handler.ServeHTTP(httptest.NewRecorder(), request)
}

const rbacGroup = "rbac.authorization.k8s.io"

func TestQuestionsBehindARequest(t *testing.T) {
	createRole := genericapirequest.RequestInfo{Verb: "create", APIGroup: rbacGroup, Resource: "clusterroles"}
	createBinding := genericapirequest.RequestInfo{Verb: "create", APIGroup: rbacGroup, Resource: "clusterrolebindings"}
	approve := genericapirequest.RequestInfo{Verb: "update", APIGroup: "certificates.k8s.io", Resource: "certificatesigningrequests", Subresource: "approval", Name: "x"}
	createPods := genericapirequest.RequestInfo{Verb: "create", Resource: "pods", Namespace: "a"}
	escalate := Request{Verb: "escalate", Group: rbacGroup, Resource: "clusterroles"}
	bind := Request{Verb: "bind", Group: rbacGroup, Resource: "clusterroles", Name: "edit"}
	signer := Request{Verb: "approve", Group: "certificates.k8s.io", Resource: "signers", Name: "example.com/one"}
	signers := Request{Verb: "approve", Group: "certificates.k8s.io", Resource: "signers", Name: "example.com/*"}
	param := Request{Verb: "get", Resource: "configmaps", Namespace: "a", Name: "params"}
	for name, test := range map[string]struct {
		conversation
		want []string // verbs and resources, + for allowed and - for refused, in order
	}{
		"role, with escalate":         {conversation{info: createRole, then: []question{{request: escalate, allowed: true}}, code: 201}, []string{"+create clusterroles", "+escalate clusterroles"}},
		"role of rights that it has":  {conversation{info: createRole, then: []question{{request: escalate}}, code: 201}, []string{"+create clusterroles"}},
		"role, without escalate":      {conversation{info: createRole, then: []question{{request: escalate}}, code: 403}, []string{"+create clusterroles", "-escalate clusterroles"}},
		"role that is there":          {conversation{info: createRole, then: []question{{request: escalate}}, code: 409}, []string{"+create clusterroles"}},
		"binding, with bind":          {conversation{info: createBinding, then: []question{{request: bind, allowed: true}}, code: 201}, []string{"+create clusterrolebindings", "+bind clusterroles edit"}},
		"binding, without bind":       {conversation{info: createBinding, then: []question{{request: bind}, {request: bind}}, code: 403}, []string{"+create clusterrolebindings", "-bind clusterroles edit"}},
		"approval, by the domain":     {conversation{info: approve, then: []question{{request: signer}, {request: signers, allowed: true}}, code: 200}, []string{"+update certificatesigningrequests/approval x", "+approve signers example.com/*"}},
		"approval refused":            {conversation{info: approve, then: []question{{request: signer}, {request: signers}}, code: 403}, []string{"+update certificatesigningrequests/approval x", "-approve signers example.com/one"}},
		"parameter of a policy":       {conversation{info: createBinding, then: []question{{request: param, allowed: true}}, code: 201}, []string{"+get configmaps params", "+create clusterrolebindings"}},
		"parameter not to be read":    {conversation{info: createBinding, then: []question{{request: param}}, code: 403}, []string{"-get configmaps params", "+create clusterrolebindings"}},
		"CEL, allowed":                {conversation{info: createPods, then: []question{{request: param, allowed: true, cel: true}}, code: 201}, []string{"+get configmaps params", "+create pods"}},
		"CEL, refused by the policy":  {conversation{info: createPods, then: []question{{request: param, cel: true}}, code: 422}, []string{"-get configmaps params", "+create pods"}},
		"CEL, taken all the same":     {conversation{info: createPods, then: []question{{request: param, cel: true}}, code: 201}, []string{"+create pods"}},
		"CEL, of another's request":   {conversation{info: createPods, then: []question{{request: param, allowed: true, cel: true, user: "system:serviceaccount:a:b"}}, code: 201}, []string{"+create pods"}},
		"refused itself":              {conversation{info: createPods, refused: true, code: 403}, []string{"-create pods"}},
		"apply of what is not there":  {conversation{info: genericapirequest.RequestInfo{Verb: "patch", Resource: "pods", Namespace: "a", Name: "b"}, then: []question{{request: Request{Verb: "create", Resource: "pods", Namespace: "a"}}}, code: 403}, []string{"-create pods", "+patch pods b"}},
		"review":                      {conversation{info: genericapirequest.RequestInfo{Verb: "create", APIGroup: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"}, then: []question{{request: param, allowed: true}, {request: bind}}, code: 201}, []string{"+create selfsubjectaccessreviews"}},
		"impersonated by another":     {conversation{info: createPods, impersonates: true, then: []question{{request: escalate}, {request: bind, allowed: true}}, code: 403}, nil},
		"impersonated, and forbidden": {conversation{info: createPods, impersonates: true, refused: true, code: 403}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewRecorder()
			test.hold(r)
			assert.Equal(t, test.want, summary(r), "recorded")
			assert.Empty(t, r.open, "requests are open after their end")
		})
	}
}

// The right to impersonate is that of the account which asks; what it then does in another's name is not its own.
func TestAccountThatImpersonates(t *testing.T) {
	impersonate := Request{Verb: "impersonate", Resource: "users", Name: "jane"}
	const other = "system:serviceaccount:a:jane"
	for code, want := range map[int][]string{201: {"+impersonate users jane"}, 403: {"-impersonate users jane"}} {
		r := NewRecorder()
		handler := r.Follow(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			ctx := genericapirequest.WithRequestInfo(request.Context(), &genericapirequest.RequestInfo{IsResourceRequest: true, Verb: "create", Resource: "pods"})
			ask := func(name string, of Request, allowed bool) {
				r.hear(ctx, authorizer.AttributesRecord{User: &user.DefaultInfo{Name: name}, Verb: of.Verb, Resource: of.Resource, Name: of.Name, ResourceRequest: true}, allowed)
			}
			ask(account.User(), Request{Verb: "impersonate:user-info", Resource: "users", Name: "jane"}, false)
			ask(account.User(), impersonate, code == 201)
			if code == 201 {
				ask(other, Request{Verb: "create", Resource: "pods"}, true)
			}
			w.WriteHeader(code)
		}))
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.Header.Set("Impersonate-User", other)
		handler.ServeHTTP(httptest.NewRecorder(), request)
		assert.Equal(t, want, summary(r), "code %d: recorded", code)
		assert.Empty(t, r.Requests(other).Tallies, "code %d: recorded of the user who is impersonated", code)
	}
}

func summary(r *Recorder) (all []string) {
	for _, tally := range r.Requests(account.User()).Tallies {
		sign := "+"
		if tally.Refused > 0 {
			sign = "-"
		}
		line := fmt.Sprintf("%s%s %s", sign, tally.Verb, tally.Resource)
		if tally.Name != "" {
			line += " " + tally.Name
		}
		all = append(all, line)
	}
	return all
}
