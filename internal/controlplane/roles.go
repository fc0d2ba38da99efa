// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-helpers/auth/rbac/reconciliation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// The roles and bindings that Kubernetes has from the beginning are those for users and components, and those of the service accounts of
// the controllers in kube-controller-manager, which is more than half of them.
const (
	generalRoles = 1 << iota
	controllerRoles
)

// createRoles creates the roles and bindings of one or both of these sets, atOnce of them at a time, or brings those of an older state directory up
// to date as the API server would. It stops between two objects when ctx ends.
func createRoles(ctx context.Context, client kubernetes.Interface, sets, atOnce int) error {
	var mu sync.Mutex
	var errs []error
	var all errgroup.Group
	all.SetLimit(atOnce)
	rbac, namespaces := client.RbacV1(), client.CoreV1().Namespaces()
	check := func(kind, name string, err error) {
		if err != nil && ctx.Err() == nil {
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, fmt.Errorf("create %s %s: %w", kind, name, err))
		}
	}
	role := func(role reconciliation.RuleOwner, client reconciliation.RuleOwnerModifier) {
		all.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			_, err := client.Create(role) // half the requests of Run, where data are new
			if apierrors.IsAlreadyExists(err) {
				_, err = (&reconciliation.ReconcileRoleOptions{Role: role, Client: client, Confirm: true}).Run()
			}
			check("role", role.GetName(), err)
			return nil
		})
	}
	binding := func(binding reconciliation.RoleBinding, client reconciliation.RoleBindingModifier) {
		all.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			_, err := client.Create(binding)
			if apierrors.IsAlreadyExists(err) {
				_, err = (&reconciliation.ReconcileRoleBindingOptions{RoleBinding: binding, Client: client, Confirm: true}).Run()
			}
			check("role binding", binding.GetName(), err)
			return nil
		})
	}
	clusterRoles := func(roles []rbacv1.ClusterRole, bindings []rbacv1.ClusterRoleBinding) {
		for _, r := range roles {
			role(reconciliation.ClusterRoleRuleOwner{ClusterRole: &r}, reconciliation.ClusterRoleModifier{Client: rbac.ClusterRoles()})
		}
		for _, b := range bindings {
			binding(reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &b}, reconciliation.ClusterRoleBindingClientAdapter{Client: rbac.ClusterRoleBindings()})
		}
	}
	if sets&generalRoles != 0 {
		clusterRoles(bootstrappolicy.ClusterRoles(), bootstrappolicy.ClusterRoleBindings())
		for _, roles := range bootstrappolicy.NamespaceRoles() {
			for _, r := range roles {
				role(reconciliation.RoleRuleOwner{Role: &r}, reconciliation.RoleModifier{Client: rbac, NamespaceClient: namespaces})
			}
		}
		for _, bindings := range bootstrappolicy.NamespaceRoleBindings() {
			for _, b := range bindings {
				binding(reconciliation.RoleBindingAdapter{RoleBinding: &b}, reconciliation.RoleBindingClientAdapter{Client: rbac, NamespaceClient: namespaces})
			}
		}
	}
	if sets&controllerRoles != 0 {
		clusterRoles(bootstrappolicy.ControllerRoles(), bootstrappolicy.ControllerRoleBindings())
	}
	_ = all.Wait() // errors are in errs
	return errors.Join(errs...)
}
