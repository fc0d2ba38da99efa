// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

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

	"github.com/crdctl/crdctl/internal/controlplane/crds"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/ui"
)

// preflight says what the installing of CRDs would break, before any of them is installed. It is an error that the API
// server refuses one, and, in a cluster that is not crdctl's own, that one is bad for objects that are stored.
func (t *API) preflight(ctx context.Context, all []manifest.CRD, reporter ui.Reporter) error {
	client, err := apiextclient.NewForConfig(t.Config)
	if err != nil {
		return fmt.Errorf("make a client for CRDs: %w", err)
	}
	var problems []error
	for _, c := range all {
		err := t.preflightOne(ctx, client.CustomResourceDefinitions(), c, reporter)
		if _, transport := errors.AsType[*url.Error](err); transport { // it would be the same for each
			return err
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

func (t *API) preflightOne(ctx context.Context, api apiextclient.CustomResourceDefinitionInterface, crd manifest.CRD, reporter ui.Reporter) error {
	current, err := api.Get(ctx, crd.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		current, err = nil, nil
	}
	if err != nil {
		if _, transport := errors.AsType[*url.Error](err); transport && !t.Ours {
			return fmt.Errorf("cannot reach the API server: %w; check --kubeconfig, --context or --master, and that the server runs", err)
		}
		return fmt.Errorf("%s: look up %s: %w", crd.Place(), crd.Name, err)
	}
	after, err := crds.Try(ctx, t.Config, crd.CustomResourceDefinition)
	if err != nil {
		return fmt.Errorf("%s: not installed: %w", crd.Place(), err)
	}
	if current == nil || sameButConversion(current, after) {
		return nil
	}
	findings, unread, err := t.broken(ctx, crd, current, after)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if unread != nil && t.Ours {
		// A conversion webhook may not be served until this CRD names its server.
		reporter.Note("%s: installed without a check of stored objects: %v", crd.Place(), unread)
		return nil
	}
	if unread != nil {
		return fmt.Errorf("%s: %w", crd.Place(), unread)
	}
	if err != nil || findings == "" {
		return err
	}
	if t.Ours {
		reporter.Note("%s: installing the new %s breaks stored objects:", crd.Place(), crd.Name)
		for line := range strings.SplitSeq(findings, "\n") { // the controller's lines may come between them
			reporter.Note("  %s", line)
		}
		return nil
	}
	return fmt.Errorf("%s: not installed: the new %s breaks stored objects; fix them first, or install it yourself and run with --skip-crds:\n%s",
		crd.Place(), crd.Name, findings)
}

// broken lists what a changed CRD does to stored objects, as Compare does. What prevents that these are read is unread.
func (t *API) broken(ctx context.Context, crd manifest.CRD, current, after *apiextv1.CustomResourceDefinition) (findings string, unread, err error) {
	if t.Compare == nil {
		n, err := t.Count(ctx, current)
		return "", err, t.unknown(crd, n)
	}
	findings, err = t.Compare(ctx, current, after, func(each func(*unstructured.Unstructured) error) error {
		var stopped error
		err := t.stored(ctx, current, func(u *unstructured.Unstructured) error {
			stopped = each(u)
			return stopped
		})
		if stopped == nil {
			unread = err
		}
		return err
	})
	return findings, unread, err
}

// unknown refuses a changed CRD that has objects, where the build cannot tell what the change does to them.
func (t *API) unknown(crd manifest.CRD, objects int) error {
	if objects == 0 {
		return nil
	}
	return fmt.Errorf("%s: not installed: the new %s may break stored objects, and only the full build of crdctl can check that; use that build, or install it yourself and run with --skip-crds",
		crd.Place(), crd.Name)
}

// sameButConversion reports whether nothing changed but the conversion webhook, whose port differs in each run.
func sameButConversion(a, b *apiextv1.CustomResourceDefinition) bool {
	x, y := a.Spec.DeepCopy(), b.Spec.DeepCopy()
	x.Conversion, y.Conversion = nil, nil
	return apiequality.Semantic.DeepEqual(x, y)
}

// Installed reports whether all of the CRDs are installed.
func (t *API) Installed(ctx context.Context, all []manifest.CRD) (bool, error) {
	client, err := apiextclient.NewForConfig(t.Config)
	if err != nil {
		return false, fmt.Errorf("make a client for CRDs: %w", err)
	}
	for _, c := range all {
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

// Count is the number of objects of a CRD.
func (t *API) Count(ctx context.Context, crd *apiextv1.CustomResourceDefinition) (n int, err error) {
	err = t.stored(ctx, crd, func(*unstructured.Unstructured) error {
		n++
		return nil
	})
	return n, err
}

// stored hands out the objects of a CRD, at its storage version if that is served. They are listed a page at a time: there may be more than
// fit into memory.
func (t *API) stored(ctx context.Context, crd *apiextv1.CustomResourceDefinition, each func(*unstructured.Unstructured) error) error {
	version := ""
	for _, v := range crd.Spec.Versions {
		if v.Served && (version == "" || v.Storage) {
			version = v.Name
		}
	}
	if version == "" {
		return nil
	}
	client, err := dynamic.NewForConfig(t.Config)
	if err != nil {
		return fmt.Errorf("make a client for %s: %w", crd.Name, err)
	}
	resource := client.Resource(schema.GroupVersionResource{Group: crd.Spec.Group, Version: version, Resource: crd.Spec.Names.Plural})
	var stopped error
	err = pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return resource.List(ctx, o) }).
		EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
			stopped = each(o.(*unstructured.Unstructured))
			return stopped
		})
	if stopped != nil {
		return stopped
	}
	if apierrors.IsNotFound(err) { // not established yet: nothing can be stored
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the objects of %s: %w", crd.Name, err)
	}
	return nil
}
