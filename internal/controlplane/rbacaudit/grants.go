// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	rbacclient "k8s.io/client-go/kubernetes/typed/rbac/v1"
)

// Account is a service account.
type Account struct{ Namespace, Name string }

// User is the name that the account's requests bear.
func (a Account) User() string { return serviceaccount.MakeUsername(a.Namespace, a.Name) }

// Grant is a rule that holds for an account.
type Grant struct {
	// Role is the role that has the rule, as "ClusterRole foo" or "Role default/foo".
	Role string
	// Namespace is where the rule holds; empty for everywhere.
	Namespace string
	Rule      rbacv1.PolicyRule
}

// Review asks whether the account may do what the rule says, or the first of that.
func (g Grant) Review(a Account) authorizationv1.SubjectAccessReviewSpec {
	spec := authorizationv1.SubjectAccessReviewSpec{User: a.User(), Groups: append(serviceaccount.MakeGroupNames(a.Namespace), allAuthenticated)}
	first := atoms(g.Rule)[0]
	if len(g.Rule.NonResourceURLs) > 0 {
		spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Verb: first.verb, Path: g.Rule.NonResourceURLs[0]}
		return spec
	}
	resource, sub, _ := strings.Cut(first.resource, "/")
	spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
		Namespace: g.Namespace, Verb: first.verb, Group: first.group, Resource: resource, Subresource: sub, Name: first.name,
	}
	return spec
}

const allAuthenticated = "system:authenticated"

// bootstrapping labels what every cluster has. A project cannot reduce it.
const bootstrapping = "kubernetes.io/bootstrapping"

// Grants returns the rules that bindings give to an account, directly or by its groups, in the order of the bindings'
// names; those that every account has by default are left out. A binding of a role that does not exist grants nothing.
func Grants(ctx context.Context, client rbacclient.RbacV1Interface, account Account) ([]Grant, error) {
	everywhere, err := client.ClusterRoleBindings().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the cluster role bindings: %w", err)
	}
	local, err := client.RoleBindings(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the role bindings: %w", err)
	}
	var bindings []rbacv1.RoleBinding
	for _, b := range everywhere.Items {
		bindings = append(bindings, rbacv1.RoleBinding(b)) // of no namespace
	}
	var all []Grant
	for _, b := range append(bindings, local.Items...) {
		if _, ofAll := b.Labels[bootstrapping]; ofAll || !account.IsOneOf(b.Subjects, b.Namespace) {
			continue
		}
		grants, err := rulesOf(ctx, client, b.RoleRef, b.Namespace)
		if err != nil {
			return nil, err
		}
		all = append(all, grants...)
	}
	return all, nil
}

// IsOneOf reports whether subjects of a binding, which is in a namespace or in none, are the account, or have it among them.
func (a Account) IsOneOf(subjects []rbacv1.Subject, bindingNamespace string) bool {
	return slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		switch s.Kind {
		case rbacv1.ServiceAccountKind:
			return s.Name == a.Name && (s.Namespace == a.Namespace || s.Namespace == "" && bindingNamespace == a.Namespace)
		case rbacv1.UserKind:
			return s.Name == a.User()
		case rbacv1.GroupKind:
			return slices.Contains(append(serviceaccount.MakeGroupNames(a.Namespace), allAuthenticated), s.Name)
		}
		return false
	})
}

func rulesOf(ctx context.Context, client rbacclient.RbacV1Interface, ref rbacv1.RoleRef, namespace string) ([]Grant, error) {
	var rules []rbacv1.PolicyRule
	role := ref.Kind + " " + ref.Name
	var err error
	if ref.Kind == "Role" {
		role = ref.Kind + " " + namespace + "/" + ref.Name
		var r *rbacv1.Role
		if r, err = client.Roles(namespace).Get(ctx, ref.Name, metav1.GetOptions{}); err == nil {
			rules = r.Rules
		}
	} else {
		var r *rbacv1.ClusterRole
		if r, err = client.ClusterRoles().Get(ctx, ref.Name, metav1.GetOptions{}); err == nil {
			rules = r.Rules
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("get %s: %w", role, err)
	}
	var grants []Grant
	for _, rule := range rules {
		if len(atoms(rule)) == 0 {
			continue // the API server takes such a rule, and it grants nothing
		}
		grants = append(grants, Grant{Role: role, Namespace: namespace, Rule: rule})
	}
	return grants, nil
}
