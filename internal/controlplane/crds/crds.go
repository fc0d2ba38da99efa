// SPDX-License-Identifier: Apache-2.0

// Package crds installs CRDs in any cluster, and tries what an API server would say of them.
//
// It starts no control plane and links none: builds of crdctl without one install CRDs too.
package crds

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// FieldManager owns the fields that crdctl applies, in any cluster.
const FieldManager = "crdctl"

// Install applies the CRDs to any cluster and returns when all of them are served: Established, and their
// names accepted. An error names the CRD that it is about. CRDs before it stay installed.
func Install(ctx context.Context, cfg *rest.Config, crds ...*apiextv1.CustomResourceDefinition) error {
	client, err := apiextclient.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("make a client for CRDs: %w", err)
	}
	api := client.CustomResourceDefinitions()
	for _, crd := range crds {
		if _, err := applyCRD(ctx, api, crd, false); err != nil {
			return err
		}
	}
	for _, crd := range crds {
		if err := awaitServed(ctx, api, crd.Name); err != nil {
			return err
		}
	}
	return nil
}

// Try returns what Install would make of a CRD, or why the API server would refuse it, and changes nothing.
func Try(ctx context.Context, cfg *rest.Config, crd *apiextv1.CustomResourceDefinition) (*apiextv1.CustomResourceDefinition, error) {
	client, err := apiextclient.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client for CRDs: %w", err)
	}
	return applyCRD(ctx, client.CustomResourceDefinitions(), crd, true)
}

func applyCRD(ctx context.Context, api apiextclient.CustomResourceDefinitionInterface, crd *apiextv1.CustomResourceDefinition, dryRun bool) (*apiextv1.CustomResourceDefinition, error) {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
	if err != nil {
		return nil, fmt.Errorf("encode CRD %s: %w", crd.Name, err)
	}
	// What the server writes is not ours to apply, and a CRD read from a cluster carries it.
	u := unstructured.Unstructured{Object: object}
	for _, field := range []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"} {
		unstructured.RemoveNestedField(object, "metadata", field)
	}
	delete(object, "status")
	u.SetGroupVersionKind(apiextv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	content, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("encode CRD %s: %w", crd.Name, err)
	}
	force := true
	options := metav1.PatchOptions{FieldManager: FieldManager, Force: &force}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	made, err := api.Patch(ctx, crd.Name, types.ApplyPatchType, content, options)
	if err != nil {
		if apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
			return nil, refusedError{crd.Name, err}
		}
		return nil, fmt.Errorf("install CRD %s: %w", crd.Name, err)
	}
	return made, nil
}

// pollInterval is how often the API server is asked whether it serves a CRD.
const pollInterval = 10 * time.Millisecond

func awaitServed(ctx context.Context, api apiextclient.CustomResourceDefinitionInterface, name string) error {
	var last *apiextv1.CustomResourceDefinition
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		crd, err := api.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		last = crd
		return served(crd)
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && last != nil:
		return fmt.Errorf("wait for CRD %s to be served (conditions %s): %w", name, conditions(last), context.Cause(ctx))
	default:
		return fmt.Errorf("wait for CRD %s to be served: %w", name, err)
	}
}

// namesPatience is how long names may be refused for the reason that held before the CRD was applied again.
const namesPatience = 2 * time.Second

// served reports whether the API server serves the CRD as it is now; the error, that it never will.
func served(crd *apiextv1.CustomResourceDefinition) (bool, error) {
	names := apihelpers.FindCRDCondition(crd, apiextv1.NamesAccepted)
	if names != nil && names.Status == apiextv1.ConditionFalse && time.Since(names.LastTransitionTime.Time) > namesPatience {
		return false, fmt.Errorf("its names are not accepted (%s); choose other names or remove the CRD that has them", names.Message)
	}
	accepted := names != nil && names.Status == apiextv1.ConditionTrue &&
		apiequality.Semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames) // else it speaks of the names before
	return accepted && apihelpers.IsCRDConditionTrue(crd, apiextv1.Established), nil
}

func conditions(crd *apiextv1.CustomResourceDefinition) string {
	var all []string
	for _, c := range crd.Status.Conditions {
		all = append(all, fmt.Sprintf("%s=%s", c.Type, c.Status))
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
