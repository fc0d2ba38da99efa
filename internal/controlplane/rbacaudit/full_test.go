package rbacaudit

import (
	"fmt"
	"slices"
	"testing"

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

func numbered(verb string, count int) (names []string, requests []Request) {
	for i := range count {
		names = append(names, fmt.Sprintf("c%05d", i))
		requests = append(requests, Request{Verb: verb, Resource: "configmaps", Namespace: "a", Name: names[i]})
	}
	return names, requests
}

func namesOf(all []Permission) (names []string) {
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}

// Of names that are not told apart it is not known which were used; of others it is.
func TestMoreNamesThanAreKept(t *testing.T) {
	names, requests := numbered("get", maxNames+6)
	grants := []Grant{{Role: "Role a/foo", Namespace: "a", Rule: rule("get,delete", "", "configmaps", names...)}}
	report := Compare(asked(requests), grants)
	if got := namesOf(report.Unknown); !slices.Equal(got, names[maxNames:]) {
		t.Errorf("not known: %v, want %v", got, names[maxNames:])
	}
	for _, p := range report.Unused {
		if slices.Contains(p.Verbs, "get") {
			t.Errorf("said to be unused: %s", p)
		}
	}
	if len(report.Unused) != len(names) || report.Full {
		t.Errorf("%d unused, want delete of all %d; full: %v", len(report.Unused), len(names), report.Full)
	}
	if report := Compare(asked(requests[:maxNames]), grants); len(report.Unknown) > 0 {
		t.Errorf("not known, of as many names as are kept: %v", report.Unknown)
	}
}

// A refusal of one of many names is missing, unless it may have been granted since.
func TestRefusalsBeyondTheNames(t *testing.T) {
	used := Used{Tallies: []Tally{{Request: Request{Verb: "get", Resource: "configmaps", Namespace: "a"}, Others: true, Refused: 3}}}
	if report := Compare(used, nil); len(report.Missing) != 1 {
		t.Errorf("missing %v, want one", report.Missing)
	}
	if report := Compare(used, []Grant{{Role: "Role a/foo", Namespace: "a", Rule: rule("get", "", "configmaps", "x")}}); len(report.Missing) != 0 {
		t.Errorf("missing %v, want none", report.Missing)
	}
}

// Beyond maxRequests nothing new is kept: what was used is known, and of nothing else that it was not.
func TestMoreRequestsThanAreKept(t *testing.T) {
	r := NewRecorder()
	for i := range maxRequests + 1 {
		r.note(account.User(), Request{Verb: "get", Resource: "configmaps", Namespace: fmt.Sprintf("n%05d", i)}, true)
	}
	r.note(account.User(), Request{Verb: "delete", Resource: "secrets"}, true)
	used := r.Requests(account.User())
	if len(used.Tallies) != maxRequests || !used.Full {
		t.Fatalf("%d requests kept, full %v; want %d, true", len(used.Tallies), used.Full, maxRequests)
	}
	grants := []Grant{
		{Role: "ClusterRole foo", Rule: rule("get,list", "", "configmaps")},
		{Role: "ClusterRole foo", Rule: rule("delete", "", "secrets")},
		{Role: "ClusterRole foo", Rule: rbacv1.PolicyRule{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}}},
	}
	report := Compare(used, grants)
	if len(report.Unused) > 0 || !report.Full {
		t.Errorf("said to be unused: %v; full: %v", report.Unused, report.Full)
	}
	var unknown []string
	for _, p := range report.Unknown {
		unknown = append(unknown, p.String())
	}
	if want := []string{"list configmaps", "get path /metrics", "delete secrets"}; !slices.Equal(unknown, want) {
		t.Errorf("not known: %q, want %q", unknown, want)
	}
	if lines := (Report{Full: true}).Lines(account, false); len(lines) != 1 {
		t.Errorf("nothing else to report, but more than is kept: %q, want one line about that", lines)
	}
}
