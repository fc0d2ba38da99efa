// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

// asked is what a recorder knows of an account that asked for all of these, and was allowed to.
func asked(requests []Request) Used {
	r := NewRecorder()
	for _, request := range requests {
		r.note(account.User(), request, true)
	}
	return r.Requests(account.User())
}

// Of names that are not told apart it is not known which were used; of others it is.
func TestMoreNamesThanAreKept(t *testing.T) {
	var names []string
	var requests []Request
	for i := range maxNames + 6 {
		names = append(names, fmt.Sprintf("c%05d", i))
		requests = append(requests, Request{Verb: "get", Resource: "configmaps", Namespace: "a", Name: names[i]})
	}
	grants := []Grant{{Role: "Role a/foo", Namespace: "a", Rule: rule("get,delete", "", "configmaps", names...)}}
	report := Compare(asked(requests), grants)
	var unknown []string
	for _, p := range report.Unknown {
		unknown = append(unknown, p.Name)
	}
	assert.Equal(t, names[maxNames:], unknown)
	for _, p := range report.Unused {
		assert.Equal(t, []string{"delete"}, p.Verbs)
	}
	assert.Len(t, report.Unused, len(names))
	assert.False(t, report.Full)
	assert.Empty(t, Compare(asked(requests[:maxNames]), grants).Unknown, "of as many names as are kept")
}

// A refusal of one of many names is missing, unless it may have been granted since.
func TestRefusalsBeyondTheNames(t *testing.T) {
	used := Used{Tallies: []Tally{{Request: Request{Verb: "get", Resource: "configmaps", Namespace: "a"}, Others: true, Refused: 3}}}
	assert.Len(t, Compare(used, nil).Missing, 1, "missing")
	assert.Empty(t, Compare(used, []Grant{{Role: "Role a/foo", Namespace: "a", Rule: rule("get", "", "configmaps", "x")}}).Missing, "missing")
}

// Beyond maxRequests nothing new is kept: what was used is known, and of nothing else that it was not.
func TestMoreRequestsThanAreKept(t *testing.T) {
	var requests []Request
	for i := range maxRequests + 1 {
		requests = append(requests, Request{Verb: "get", Resource: "configmaps", Namespace: fmt.Sprintf("n%05d", i)})
	}
	used := asked(append(requests, Request{Verb: "delete", Resource: "secrets"}))
	require.Len(t, used.Tallies, maxRequests)
	require.True(t, used.Full)
	grants := []Grant{
		{Role: "ClusterRole foo", Rule: rule("get,list", "", "configmaps")},
		{Role: "ClusterRole foo", Rule: rule("delete", "", "secrets")},
		{Role: "ClusterRole foo", Rule: rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}},
	}
	report := Compare(used, grants)
	assert.Empty(t, report.Unused)
	assert.True(t, report.Full)
	var unknown []string
	for _, p := range report.Unknown {
		unknown = append(unknown, p.String())
	}
	assert.Equal(t, []string{"list configmaps", "get path /metrics", "delete secrets"}, unknown, "not known")
	assert.Len(t, (Report{Full: true}).Lines(account, false), 1, "nothing else to report, but more than is kept")
}
