package controlplane

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-helpers/auth/rbac/reconciliation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

// createRoles creates the roles and bindings of Kubernetes, or brings those of an older state directory up
// to date as the API server would. It stops between two objects when ctx ends.
func createRoles(ctx context.Context, client kubernetes.Interface) error {
	var errs []error
	ensure := func(kind, name string, create, update func() error) {
		if ctx.Err() != nil {
			return
		}
		err := create()
		if apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) { // not found: its namespace, which update creates
			err = update()
		}
		if err != nil && ctx.Err() == nil {
			errs = append(errs, fmt.Errorf("create %s %s: %w", kind, name, err))
		}
	}
	rbac, options := client.RbacV1(), metav1.CreateOptions{}
	for _, role := range append(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()...) {
		ensure("cluster role", role.Name, func() error {
			_, err := rbac.ClusterRoles().Create(ctx, &role, options)
			return err
		}, func() error {
			return reconcileRole(reconciliation.ClusterRoleRuleOwner{ClusterRole: &role}, reconciliation.ClusterRoleModifier{Client: rbac.ClusterRoles()})
		})
	}
	for _, binding := range append(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()...) {
		ensure("cluster role binding", binding.Name, func() error {
			_, err := rbac.ClusterRoleBindings().Create(ctx, &binding, options)
			return err
		}, func() error {
			return reconcileBinding(reconciliation.ClusterRoleBindingAdapter{ClusterRoleBinding: &binding}, reconciliation.ClusterRoleBindingClientAdapter{Client: rbac.ClusterRoleBindings()})
		})
	}
	for namespace, roles := range bootstrappolicy.NamespaceRoles() {
		for _, role := range roles {
			ensure("role", role.Name, func() error {
				_, err := rbac.Roles(namespace).Create(ctx, &role, options)
				return err
			}, func() error {
				return reconcileRole(reconciliation.RoleRuleOwner{Role: &role}, reconciliation.RoleModifier{Client: rbac, NamespaceClient: client.CoreV1().Namespaces()})
			})
		}
	}
	for namespace, bindings := range bootstrappolicy.NamespaceRoleBindings() {
		for _, binding := range bindings {
			ensure("role binding", binding.Name, func() error {
				_, err := rbac.RoleBindings(namespace).Create(ctx, &binding, options)
				return err
			}, func() error {
				return reconcileBinding(reconciliation.RoleBindingAdapter{RoleBinding: &binding}, reconciliation.RoleBindingClientAdapter{Client: rbac, NamespaceClient: client.CoreV1().Namespaces()})
			})
		}
	}
	return errors.Join(errs...)
}

func reconcileRole(role reconciliation.RuleOwner, client reconciliation.RuleOwnerModifier) error {
	o := reconciliation.ReconcileRoleOptions{Role: role, Client: client, Confirm: true}
	_, err := o.Run()
	return err
}

func reconcileBinding(binding reconciliation.RoleBinding, client reconciliation.RoleBindingModifier) error {
	o := reconciliation.ReconcileRoleBindingOptions{RoleBinding: binding, Client: client, Confirm: true}
	_, err := o.Run()
	return err
}
