// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"context"
	"net/http"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"
)

// inquiry is one HTTP request, and the questions that the API server asked its authorizer while it answered it: first
// whether the user may send the request, then perhaps whether the user may bind the role, approve for the signer, or do
// what an admission policy wants to know.
//
// A refusal of the later questions need not be one of the request: a role that grants no more than its author has is
// stored without "escalate". So these refusals count once the request itself was refused.
type inquiry struct {
	// impersonated requests tell nothing of the user whose name they bear. The right to impersonate is another matter.
	impersonated bool
	// denied are later questions that bear the request's context; byPolicy are those of CEL expressions, which do not.
	denied, byPolicy []Request
	user             string
	finished         bool
}

type inquiryKey struct{}

// Follow is to be the first handler of all requests of an API server whose authorizers Listen made.
func (r *Recorder) Follow(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		q := &inquiry{impersonated: impersonates(request.Header)}
		answer := &answer{ResponseWriter: w}
		defer func() { r.finish(q, answer.code) }() // handlers may panic to break a connection off
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(answer), request.WithContext(context.WithValue(request.Context(), inquiryKey{}, q)))
	})
}

func impersonates(header http.Header) bool {
	for name := range header {
		if strings.HasPrefix(name, "Impersonate-") {
			return true
		}
	}
	return false
}

// answer remembers the status code.
type answer struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Listen returns an authorizer that decides as a does, and tells the recorder.
func (r *Recorder) Listen(a authorizer.Authorizer) authorizer.Authorizer {
	return listening{Authorizer: a, recorder: r}
}

type listening struct {
	authorizer.Authorizer
	recorder *Recorder
}

// Authorize implements authorizer.Authorizer.
func (l listening) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := l.Authorizer.Authorize(ctx, a)
	if u := a.GetUser(); u != nil && strings.HasPrefix(u.GetName(), serviceaccount.ServiceAccountUsernamePrefix) {
		l.recorder.hear(ctx, a, decision == authorizer.DecisionAllow)
	}
	return decision, reason, err
}

// hear notes one question to an authorizer.
func (r *Recorder) hear(ctx context.Context, a authorizer.Attributes, allowed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	user, request := a.GetUser().GetName(), requestOf(a)
	q, ok := ctx.Value(inquiryKey{}).(*inquiry)
	switch toImpersonate := strings.HasPrefix(request.Verb, "impersonate"); {
	case !ok:
		r.hearPolicy(user, request, allowed)
	case q.finished, q.impersonated && !toImpersonate:
	case isOfRequest(ctx, a):
		r.note(user, request, allowed)
		if request.Verb != "watch" && allowed { // a watch is open for hours, and asks nothing more
			q.user = user
			if r.open[user] == nil {
				r.open[user] = map[*inquiry]bool{}
			}
			r.open[user][q] = true
		}
	case isReview(ctx) && !toImpersonate: // of what a user could do
	case allowed:
		r.note(user, request, true)
	default:
		q.user, q.denied = user, append(q.denied, request)
	}
}

// hearPolicy notes a question of a CEL expression, which does not say for which request it is asked. A user who has no
// request open is not the one who is being answered.
func (r *Recorder) hearPolicy(user string, request Request, allowed bool) {
	for q := range r.open[user] {
		if allowed {
			r.note(user, request, true)
			return
		}
		q.byPolicy = append(q.byPolicy, request)
	}
}

// isOfRequest reports whether the question is whether the request may be sent.
func isOfRequest(ctx context.Context, a authorizer.Attributes) bool {
	info, ok := genericapirequest.RequestInfoFrom(ctx)
	return ok && info.IsResourceRequest == a.IsResourceRequest() && info.Verb == a.GetVerb() && (!info.IsResourceRequest && info.Path == a.GetPath() ||
		info.IsResourceRequest && info.APIGroup == a.GetAPIGroup() && info.Resource == a.GetResource() && info.Subresource == a.GetSubresource())
}

func isReview(ctx context.Context) bool {
	info, ok := genericapirequest.RequestInfoFrom(ctx)
	return ok && info.APIGroup == authorizationv1.GroupName
}

// finish notes what was refused, if the request was.
func (r *Recorder) finish(q *inquiry, code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.finished = true // a handler that timed out may go on
	if delete(r.open[q.user], q); len(r.open[q.user]) == 0 {
		delete(r.open, q.user)
	}
	var refused []Request
	if code == http.StatusForbidden {
		refused = append(refused, q.denied...)
	}
	// A policy gives its own reason; the codes are those that it may choose from.
	if slices.Contains([]int{http.StatusForbidden, http.StatusUnauthorized, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge}, code) {
		refused = append(refused, q.byPolicy...)
	}
	seen := map[Request]bool{}
	for _, request := range refused {
		if !seen[request] && !asksForMore(request) {
			r.note(q.user, request, false)
		}
		seen[request] = true
	}
}

// asksForMore reports whether a question is for more than the request needs: the API server asks for the signer and for
// all signers of its domain, for an owner and for all owners, to impersonate in one of several ways. The plain question
// is among the others.
func asksForMore(r Request) bool {
	return strings.Contains(r.Group+r.Resource+r.Name, "*") || strings.HasPrefix(r.Verb, "impersonate-on:") || strings.HasPrefix(r.Verb, "impersonate:")
}
