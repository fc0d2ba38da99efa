// SPDX-License-Identifier: Apache-2.0

package crdform

import (
	"bytes"
	"cmp"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	k8syaml "sigs.k8s.io/yaml"
)

// writtenRole is as much of a role as controller-gen writes, and nothing that people add: no labels, no aggregation.
type writtenRole struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Metadata   writtenMetadata     `json:"metadata"`
	Rules      []rbacv1.PolicyRule `json:"rules"`
}

type writtenMetadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

// timestamp is a line that controller-gen wrote before v0.14, and that says nothing.
var timestamp = []byte("\n  creationTimestamp: null\n")

// inForm reports whether roles stand in a file as controller-gen writes them: each by itself after a line of dashes, without
// comments, and everything in the order in which it sorts it. Written anew, they are the same bytes.
func inForm(manifest []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.ReplaceAll(manifest, timestamp, []byte("\n")), []byte("---\n"))
	if !ok {
		return false
	}
	var again []byte
	var roles []writtenRole
	for doc := range bytes.SplitSeq(rest, []byte("\n---\n")) {
		var r writtenRole
		if err := k8syaml.Unmarshal(doc, &r); err != nil {
			return false
		}
		out, err := k8syaml.Marshal(r)
		if err != nil {
			return false
		}
		again = slices.Concat(again, []byte("---\n"), out)
		roles = append(roles, r)
	}
	return bytes.Equal(again, slices.Concat([]byte("---\n"), rest)) && slices.IsSortedFunc(roles, compareRoles) && !slices.ContainsFunc(roles, unsorted)
}

func compareRoles(a, b writtenRole) int {
	return cmp.Or(cmp.Compare(a.Metadata.Namespace, b.Metadata.Namespace), cmp.Compare(a.Metadata.Name, b.Metadata.Name))
}

func unsorted(r writtenRole) bool {
	return slices.ContainsFunc(r.Rules, func(rule rbacv1.PolicyRule) bool {
		return slices.ContainsFunc([][]string{rule.APIGroups, rule.Resources, rule.ResourceNames, rule.NonResourceURLs, rule.Verbs},
			func(list []string) bool { return !slices.IsSorted(list) })
	})
}
