// SPDX-License-Identifier: Apache-2.0

// Package rbacaudit knows what service accounts asked of an API server and what their roles let them do, and compares the
// two: a permission that is missing, and one that is not needed, are seen where they cost nothing yet.
//
// It decides about no request. That is the API server's authorizer, which a Recorder only listens to.
package rbacaudit

import (
	"cmp"
	"slices"
	"sync"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

const (
	// maxNames is how many objects are told apart for one verb, resource and namespace; the others count without a name.
	maxNames = 64
	// maxRequests bounds what is kept of one user.
	maxRequests = 10_000
)

// Request is what a client asked for, once or many times.
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

// Tally is how often the API server allowed a request, and how often it refused it.
type Tally struct {
	Request
	// Others marks the sum of all requests of this kind whose names are beyond maxNames; its own Name is empty.
	Others  bool `json:"others,omitempty"`
	Allowed int  `json:"allowed"`
	Refused int  `json:"refused"`
}

// Used is what one user asked for.
type Used struct {
	Tallies []Tally `json:"tallies"`
	// Full reports that there were more than maxRequests different requests, and what came later is not in Tallies.
	Full bool `json:"full,omitempty"`
}

// Recorder keeps the requests of all service accounts since it was made, or since they were last forgotten. It may be
// used by several goroutines.
type Recorder struct {
	mu    sync.Mutex
	users map[string]*tallies
	// open are the HTTP requests of a user that are being answered.
	open map[string]map[*inquiry]bool
}

type tallies struct {
	byRequest map[key]*Tally
	names     map[Request]int // by request without a name
	full      bool
}

// key is a request, or all those that differ from it by their names and are not told apart.
type key struct {
	Request
	others bool
}

// NewRecorder returns one that has heard of nothing.
func NewRecorder() *Recorder {
	return &Recorder{users: map[string]*tallies{}, open: map[string]map[*inquiry]bool{}}
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

// note counts one request; r.mu is held.
func (r *Recorder) note(user string, request Request, allowed bool) {
	u := r.users[user]
	if u == nil {
		u = &tallies{byRequest: map[key]*Tally{}, names: map[Request]int{}}
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
	k := key{Request: request}
	if t := u.byRequest[k]; t != nil {
		return t
	}
	if request.Name != "" {
		unnamed := request
		unnamed.Name = ""
		if u.names[unnamed] == maxNames {
			k = key{unnamed, true}
			if t := u.byRequest[k]; t != nil {
				return t
			}
		} else {
			u.names[unnamed]++
		}
	}
	if len(u.byRequest) == maxRequests {
		u.full = true
		return nil
	}
	t := &Tally{Request: k.Request, Others: k.others}
	u.byRequest[k] = t
	return t
}

// Requests returns what a user asked for, in a stable order.
func (r *Recorder) Requests(user string) Used {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := Used{Tallies: []Tally{}}
	if u := r.users[user]; u != nil {
		used.Full = u.full
		for _, t := range u.byRequest {
			used.Tallies = append(used.Tallies, *t)
		}
	}
	slices.SortFunc(used.Tallies, compare)
	return used
}

func compare(a, b Tally) int {
	byName := cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Name, b.Name))
	if byName == 0 && a.Others != b.Others {
		if b.Others {
			return -1
		}
		return 1
	}
	return byName
}

// Forget drops what a user asked for.
func (r *Recorder) Forget(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.users, user)
}
