// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/crdctl/crdctl/internal/controlplane/crds"
)

const (
	// createStall is how long the API server delays the creation of an object whose CRD was established less
	// than that ago. With several API servers the others need the time to hear of the CRD; here is one.
	createStall = 2 * time.Second
	// backdating is how far in the past the CRD's establishing is dated. Any more than createStall will do.
	backdating = time.Minute
	// stallProbe is how long the first request that looks for the delay may take; it doubles with each, since
	// on a busy machine every answer is slow.
	stallProbe = 10 * time.Millisecond
)

// InstallCRDsPromptly is crds.Install for a control plane of this package, in this process or another one, where the
// first object of a new CRD can be created at once rather than after two seconds.
func InstallCRDsPromptly(ctx context.Context, cfg *rest.Config, all ...*apiextv1.CustomResourceDefinition) error {
	if err := crds.Install(ctx, cfg, all...); err != nil {
		return err
	}
	client, err := apiextclient.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("make a client for CRDs: %w", err)
	}
	for _, crd := range all {
		backdated, err := backdate(ctx, client, crd.Name)
		if err != nil {
			return fmt.Errorf("backdate CRD %s: %w", crd.Name, err)
		}
		if backdated == nil {
			continue
		}
		if err := awaitPromptCreate(ctx, client.ApiextensionsV1().RESTClient(), backdated); err != nil {
			return fmt.Errorf("wait for CRD %s to be served: %w", crd.Name, err)
		}
	}
	return nil
}

// backdate moves the time at which the CRD became established into the past. It returns nil when that time is
// long past already.
func backdate(ctx context.Context, client apiextclient.Interface, name string) (*apiextv1.CustomResourceDefinition, error) {
	api := client.ApiextensionsV1().CustomResourceDefinitions()
	var updated *apiextv1.CustomResourceDefinition
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		updated = nil
		crd, err := api.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		established := apihelpers.FindCRDCondition(crd, apiextv1.Established)
		if established == nil || time.Since(established.LastTransitionTime.Time) > createStall+time.Second { // times are whole seconds
			return nil
		}
		established.LastTransitionTime = metav1.NewTime(time.Now().Add(-backdating))
		updated, err = api.UpdateStatus(ctx, crd, metav1.UpdateOptions{})
		return err
	})
	return updated, err
}

// awaitPromptCreate waits until the part of the API server that serves the CRD has heard of the new time. It
// cannot be asked, so this sends it creations of nothing, which it refuses at once if it has.
func awaitPromptCreate(ctx context.Context, client rest.Interface, crd *apiextv1.CustomResourceDefinition) error {
	path := createPath(crd)
	if path == "" {
		return nil
	}
	patience := stallProbe
	// The delay is over after createStall in any case, so that is the longest wait too.
	err := wait.PollUntilContextTimeout(ctx, pollInterval, createStall, true, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		patience *= 2
		err := client.Post().AbsPath(path).Body([]byte("{}")).SetHeader("Content-Type", "application/json").MaxRetries(0).Do(ctx).Error()
		return apierrors.IsBadRequest(err) || apierrors.IsInvalid(err), nil
	})
	if ctx.Err() == nil {
		return nil
	}
	return err
}

// createPath is where objects of a served version of the CRD are created, or "" when none is served.
func createPath(crd *apiextv1.CustomResourceDefinition) string {
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		base := "/apis/" + crd.Spec.Group + "/" + v.Name
		if crd.Spec.Scope == apiextv1.NamespaceScoped {
			base += "/namespaces/" + metav1.NamespaceDefault
		}
		return base + "/" + crd.Spec.Names.Plural
	}
	return ""
}
