// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/controlplane/controller/defaultservicecidr"
)

// createFirst creates what a client may rely on as soon as Start returns, and what readiness waits for. The
// controllers in charge would do it a little later: they poll, every 100 ms or every second, and sleep first.
// What fails meanwhile is told to trouble: with a user's webhook in kept data it may fail for ever.
func createFirst(ctx context.Context, client kubernetes.Interface, trouble func(error)) error {
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	told := func(create func() error) error {
		return insist(ctx, func() error {
			err := ignoreExisting(create())
			trouble(err)
			return err
		})
	}
	return errors.Join(
		told(func() error { return RemoveRunWebhooks(ctx, client) }),
		told(func() error {
			cidr := &networkingv1.ServiceCIDR{
				ObjectMeta: meta(defaultservicecidr.DefaultServiceCIDRName),
				Spec:       networkingv1.ServiceCIDRSpec{CIDRs: []string{serviceRange}},
			}
			_, err := client.NetworkingV1().ServiceCIDRs().Create(ctx, cidr, metav1.CreateOptions{})
			return err
		}),
		told(func() error {
			namespace := &corev1.Namespace{ObjectMeta: meta(metav1.NamespaceDefault)}
			_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
			return err
		}),
		told(func() error { // without it no pod can be created
			account := &corev1.ServiceAccount{ObjectMeta: meta("default")}
			_, err := client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Create(ctx, account, metav1.CreateOptions{})
			return err
		}),
	)
}

// insist tries a creation until it works, which it does once the server is up.
func insist(ctx context.Context, create func() error) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		return ignoreExisting(create()) == nil, nil
	})
}

// RunLabel marks the webhook configurations of a run: they lead to a port at which its controller listens. When the run is
// killed they stay in data that are kept, and would have the API server refuse what the next start needs.
const RunLabel = "crdctl.dev/run"

// RemoveRunWebhooks removes the webhook configurations of runs. None may be going on.
func RemoveRunWebhooks(ctx context.Context, client kubernetes.Interface) error {
	api, marked := client.AdmissionregistrationV1(), metav1.ListOptions{LabelSelector: RunLabel}
	return errors.Join(
		api.ValidatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, marked),
		api.MutatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, marked),
	)
}

// createDefaults creates the roles and priority classes that every cluster has. The API server's own hooks
// for that hold up readiness, and cannot be stopped. roles says which sets of roles, and atOnce how many requests for these are open at a time.
func createDefaults(ctx context.Context, client kubernetes.Interface, roles, atOnce int) error {
	var errs []error
	for _, class := range schedulingv1.SystemPriorityClasses() {
		_, err := client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
		if err = ignoreExisting(err); err != nil {
			errs = append(errs, fmt.Errorf("create priority class %s: %w", class.Name, err))
		}
	}
	return errors.Join(append(errs, createRoles(ctx, client, roles, atOnce))...)
}

func ignoreExisting(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
