package run

import (
	"context"
	"errors"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/pager"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/ui"
)

// preflight says what the installing of CRDs would break, before any of them is installed. It is an error that the API
// server refuses one, and, in a cluster that is not crdctl's own, that one is bad for objects that are stored.
func (t *target) preflight(ctx context.Context, crds []manifest.CRD, reporter ui.Reporter) error {
	client, err := apiextclient.NewForConfig(t.config)
	if err != nil {
		return fmt.Errorf("make a client for CRDs: %w", err)
	}
	var problems []error
	for _, c := range crds {
		problems = append(problems, t.preflightOne(ctx, client.CustomResourceDefinitions(), c, reporter))
	}
	return errors.Join(problems...)
}

func (t *target) preflightOne(ctx context.Context, api apiextclient.CustomResourceDefinitionInterface, crd manifest.CRD, reporter ui.Reporter) error {
	current, err := api.Get(ctx, crd.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		current, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("%s: list the stored objects of %s: %w", crd.Place(), crd.Name, err)
	}
	after, err := controlplane.TryCRD(ctx, t.config, crd.CustomResourceDefinition)
	if err != nil {
		return fmt.Errorf("%s: not installed: %w", crd.Place(), err)
	}
	if current == nil || sameButConversion(current, after) {
		return nil
	}
	objects, err := t.stored(ctx, current)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && t.ours {
		// A conversion webhook may not be served until this CRD names its server.
		reporter.Note("%s: installed without a check of stored objects: %v", crd.Place(), err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", crd.Place(), err)
	}
	findings, err := compat.Check(ctx, current, after, objects)
	if err != nil || len(findings) == 0 {
		return err
	}
	if t.ours {
		reporter.Note("%s: installing the new %s breaks stored objects:\n%s", crd.Place(), crd.Name, compat.Text(findings))
		return nil
	}
	return fmt.Errorf("%s: not installed: the new %s breaks stored objects; fix them first, or install it yourself and run with --skip-crds:\n%s",
		crd.Place(), crd.Name, compat.Text(findings))
}

// sameButConversion reports whether nothing changed but the conversion webhook, whose port differs in each run.
func sameButConversion(a, b *apiextv1.CustomResourceDefinition) bool {
	x, y := a.Spec.DeepCopy(), b.Spec.DeepCopy()
	x.Conversion, y.Conversion = nil, nil
	return apiequality.Semantic.DeepEqual(x, y)
}

// installed reports whether all of the CRDs are installed.
func (t *target) installed(ctx context.Context, crds []manifest.CRD) (bool, error) {
	client, err := apiextclient.NewForConfig(t.config)
	if err != nil {
		return false, fmt.Errorf("make a client for CRDs: %w", err)
	}
	for _, c := range crds {
		_, err := client.CustomResourceDefinitions().Get(ctx, c.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("check whether %s is installed: %w", c.Name, err)
		}
	}
	return true, nil
}

// stored lists the objects of a CRD, at its storage version if that is served.
func (t *target) stored(ctx context.Context, crd *apiextv1.CustomResourceDefinition) ([]unstructured.Unstructured, error) {
	version := ""
	for _, v := range crd.Spec.Versions {
		if v.Served && (version == "" || v.Storage) {
			version = v.Name
		}
	}
	if version == "" {
		return nil, nil
	}
	client, err := dynamic.NewForConfig(t.config)
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", crd.Name, err)
	}
	resource := client.Resource(schema.GroupVersionResource{Group: crd.Spec.Group, Version: version, Resource: crd.Spec.Names.Plural})
	var all []unstructured.Unstructured
	err = pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return resource.List(ctx, o) }).
		EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
			all = append(all, *o.(*unstructured.Unstructured))
			return nil
		})
	if apierrors.IsNotFound(err) { // not established yet: nothing can be stored
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the objects of %s: %w", crd.Name, err)
	}
	return all, nil
}
