// Package access knows what service accounts asked of an API server and what their roles let them do, and compares the
// two: a permission that is missing, and one that nobody needs, are seen where they cost nothing yet.
//
// It decides about no request. That is the API server's authorizer, which a Recorder only listens to.
package access

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
)

const (
	// maxNames is how many objects are told apart for one verb, resource and namespace; the others count without a name.
	maxNames = 64
	// maxRequests bounds what is kept of one user.
	maxRequests = 10_000
)

// Request is what somebody asked for, once or many times.
type Request struct {
	Verb string `json:"verb"`
	// Group, Resource (with its subresource, as "deployments/scale"), Namespace and Name are empty where Path is not.
	Group     string `json:"group,omitempty"`
	Resource  string `json:"resource,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Path is that of a request for no resource, such as /healthz.
	Path string `json:"path,omitempty"`
}

// Tally says how often the API server said yes, and how often no.
type Tally struct {
	Request
	Allowed int `json:"allowed"`
	Refused int `json:"refused"`
}

// Recorder keeps the requests of all service accounts since it was made, or since they were last forgotten. It may be
// used by several goroutines.
type Recorder struct {
	mu    sync.Mutex
	users map[string]*tallies
}

type tallies struct {
	byRequest map[Request]*Tally
	names     map[Request]int // by request without a name
}

// NewRecorder returns one that has heard of nothing.
func NewRecorder() *Recorder { return &Recorder{users: map[string]*tallies{}} }

// Listen returns an authorizer that decides as a does, and tells the recorder.
func (r *Recorder) Listen(a authorizer.Authorizer) authorizer.Authorizer {
	return listening{Authorizer: a, recorder: r}
}

type listening struct {
	authorizer.Authorizer
	recorder *Recorder
}

// Authorize is what the handlers of all requests call.
func (l listening) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := l.Authorizer.Authorize(ctx, a)
	if u := a.GetUser(); u != nil && strings.HasPrefix(u.GetName(), serviceaccount.ServiceAccountUsernamePrefix) {
		l.recorder.note(u.GetName(), requestOf(a), decision == authorizer.DecisionAllow)
	}
	return decision, reason, err
}

// ListenForCreation returns the authorizer of a server behind the one that Listen is for. It tells of one question alone: whether
// who patches or updates an object that is not there, as server-side apply does, may create it. The others that such a server
// has to answer are about no request, such as reviews of what somebody could do.
func (r *Recorder) ListenForCreation(a authorizer.Authorizer) authorizer.Authorizer {
	return listeningForCreation{Authorizer: a, recorder: r}
}

type listeningForCreation struct {
	authorizer.Authorizer
	recorder *Recorder
}

// Authorize is what the handlers of patches and updates call.
func (l listeningForCreation) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	request, ok := genericapirequest.RequestInfoFrom(ctx)
	if ok && a.GetVerb() == "create" && (request.Verb == "patch" || request.Verb == "update") && request.Resource == a.GetResource() {
		return listening(l).Authorize(ctx, a)
	}
	return l.Authorizer.Authorize(ctx, a)
}

func requestOf(a authorizer.Attributes) Request {
	if !a.IsResourceRequest() {
		return Request{Verb: a.GetVerb(), Path: a.GetPath()}
	}
	r := Request{Verb: a.GetVerb(), Group: a.GetAPIGroup(), Resource: a.GetResource(), Namespace: a.GetNamespace(), Name: a.GetName()}
	if sub := a.GetSubresource(); sub != "" {
		r.Resource += "/" + sub
	}
	return r
}

func (r *Recorder) note(user string, request Request, allowed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.users[user]
	if u == nil {
		u = &tallies{byRequest: map[Request]*Tally{}, names: map[Request]int{}}
		r.users[user] = u
	}
	if t := u.find(request); t != nil && allowed {
		t.Allowed++
	} else if t != nil {
		t.Refused++
	}
}

// find returns the tally of a request, or nil where there are too many of them.
func (u *tallies) find(request Request) *Tally {
	if t := u.byRequest[request]; t != nil {
		return t
	}
	if request.Name != "" {
		unnamed := request
		unnamed.Name = ""
		if u.names[unnamed] == maxNames {
			return u.find(unnamed)
		}
		u.names[unnamed]++
	}
	if len(u.byRequest) == maxRequests {
		return nil
	}
	t := &Tally{Request: request}
	u.byRequest[request] = t
	return t
}

// Requests returns what a user asked for, in a stable order.
func (r *Recorder) Requests(user string) []Tally {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := []Tally{}
	if u := r.users[user]; u != nil {
		for _, t := range u.byRequest {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, func(a, b Tally) int { return compare(a.Request, b.Request) })
	return all
}

func compare(a, b Request) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Name, b.Name))
}

// Forget drops what a user asked for.
func (r *Recorder) Forget(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.users, user)
}
