// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
)

// applier applies manifests, by server-side apply, in crdctl's name.
type applier struct {
	client dynamic.Interface
	mapper meta.ResettableRESTMapper
	// adapt changes an object before it is applied; nil for none.
	adapt    func(*unstructured.Unstructured) error
	reporter ui.Reporter

	skipped string            // the last message about objects that the API server does not know
	made    map[string]string // by the name of an object: what it was when it had been applied
	created map[string]bool   // contents of those without a name of their own
}

func newApplier(config *rest.Config, adapt func(*unstructured.Unstructured) error, reporter ui.Reporter) (*applier, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for manifests: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client for manifests: %w", err)
	}
	return &applier{
		client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco)),
		adapt: adapt, reporter: reporter, made: map[string]string{}, created: map[string]bool{},
	}, nil
}

// order is what others need first, and webhooks are last: no server listens behind them yet.
var order = slices.Concat([]string{"Namespace", "ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding", ""}, webhookKinds)

// apply applies objects, says which were not as they are, and reports all that the server refuses. The objects become what
// is applied: with the namespace that they are in, and the webhooks on this machine. With forKubectl they also have what a
// later "kubectl apply" of them looks for.
func (a *applier) apply(ctx context.Context, objects []manifest.Object, forKubectl bool) error {
	rank := func(o manifest.Object) int {
		if i := slices.Index(order, o.GetKind()); i >= 0 {
			return i
		}
		return slices.Index(order, "")
	}
	objects = slices.SortedStableFunc(slices.Values(objects), func(x, y manifest.Object) int { return cmp.Compare(rank(x), rank(y)) })
	var problems []error
	var done, unknown []string
	for _, o := range objects {
		changed, err := a.one(ctx, o.Unstructured, forKubectl)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if meta.IsNoMatchError(err) && o.Built {
			unknown = append(unknown, a.unknown(o.GroupVersionKind()))
			continue
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %s: %w", o.Place(), nameOf(o.Unstructured), err))
		} else if changed {
			done = append(done, nameOf(o.Unstructured))
		}
	}
	if len(done) > 0 {
		a.reporter.Note("applied %s", listed(done))
	}
	slices.Sort(unknown)
	if kinds := strings.Join(slices.Compact(unknown), ", "); kinds != "" && kinds != a.skipped {
		a.skipped = kinds
		a.reporter.Note("skipped %s of kinds that this API server does not have: %s", text.Count(len(unknown), "object", "objects"), kinds)
	}
	return errors.Join(problems...)
}

// unknown names a kind that the API server does not have, with its version if it has others.
func (a *applier) unknown(gvk schema.GroupVersionKind) string {
	if _, err := a.mapper.RESTMapping(gvk.GroupKind()); err != nil {
		return gvk.GroupKind().String()
	}
	return strings.Join([]string{gvk.Kind, gvk.Version, gvk.Group}, ".")
}

// listed names objects, or their kinds, without their groups, where they are many.
func listed(names []string) string {
	const few = 4
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	count := map[string]int{}
	var kinds []string
	for _, name := range names {
		kind, _, _ := strings.Cut(name, "/")
		kind, _, _ = strings.Cut(kind, ".")
		if count[kind]++; count[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		if n := count[kind]; n > 1 {
			plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind})
			kinds[i] = fmt.Sprintf("%d %s", n, plural.Resource)
		}
	}
	return fmt.Sprintf("%d objects: %s", len(names), strings.Join(kinds, ", "))
}

func (a *applier) one(ctx context.Context, o *unstructured.Unstructured, forKubectl bool) (changed bool, err error) {
	resource, err := a.resource(o)
	if err != nil {
		return false, err
	}
	if a.adapt != nil {
		if err := a.adapt(o); err != nil {
			return false, err
		}
	}
	if forKubectl {
		if err := setLastApplied(o); err != nil {
			return false, err
		}
	}
	content, err := o.MarshalJSON()
	if err != nil {
		return false, err
	}
	if o.GetName() == "" { // what cannot be named cannot be applied again, only made again
		if a.created[string(content)] {
			return false, nil
		}
		_, err = resource.Create(ctx, o, metav1.CreateOptions{FieldManager: fieldManager})
		a.created[string(content)] = err == nil
		return true, err
	}
	made, err := a.patch(ctx, resource, o, content)
	if err != nil {
		return false, err
	}
	// Controllers write the status, and with each of its changes the version moves.
	unstructured.RemoveNestedField(made.Object, "status")
	made.SetResourceVersion("")
	made.SetManagedFields(nil)
	is, err := made.MarshalJSON()
	was := a.made[nameOf(o)]
	a.made[nameOf(o)] = string(is)
	return string(is) != was, err
}

// applied reports whether an object of this name has been applied.
func (a *applier) applied(o manifest.Object) bool { return a.made[nameOf(o.Unstructured)] != "" }

// fieldManager is who applies.
const fieldManager = "crdctl"

func (a *applier) patch(ctx context.Context, resource dynamic.ResourceInterface, o *unstructured.Unstructured, content []byte) (*unstructured.Unstructured, error) {
	force := true
	options := metav1.PatchOptions{FieldManager: fieldManager, Force: &force, FieldValidation: metav1.FieldValidationStrict}
	made, err := resource.Patch(ctx, o.GetName(), types.ApplyPatchType, content, options)
	if !apierrors.IsNotFound(err) || o.GetNamespace() == "" {
		return made, err
	}
	// A project's manifests name the namespace that its cluster has; here is none yet.
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": o.GetNamespace()}}}
	_, created := a.client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Create(ctx, namespace, metav1.CreateOptions{FieldManager: fieldManager})
	if created != nil {
		return nil, err
	}
	a.reporter.Note("created the namespace %s, which manifests use", o.GetNamespace())
	return resource.Patch(ctx, o.GetName(), types.ApplyPatchType, content, options)
}

// prune removes the objects that were applied and that the manifests have no more, but no namespace: all in it would go.
// It returns those that are still to be removed.
func (a *applier) prune(ctx context.Context, before, now []manifest.Object) (left []manifest.Object, err error) {
	var problems []error
	for _, o := range before {
		if !leaves(o, now) {
			continue
		}
		resource, err := a.resource(o.Unstructured)
		if err == nil {
			err = resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{})
		}
		switch {
		case apierrors.IsNotFound(err), meta.IsNoMatchError(err): // the second: gone with its CRD
		case err != nil:
			left = append(left, o)
			problems = append(problems, fmt.Errorf("remove %s, which is no longer in the manifests: %w", nameOf(o.Unstructured), err))
		default:
			delete(a.made, nameOf(o.Unstructured))
			a.reporter.Note("removed %s, which is no longer in the manifests", nameOf(o.Unstructured))
		}
	}
	return left, errors.Join(problems...)
}

// leaves reports whether an object that was applied is to be removed, since the manifests have it no more.
func leaves(o manifest.Object, now []manifest.Object) bool {
	return o.GetName() != "" && o.GetKind() != "Namespace" && !has(now, o)
}

// lacksSome reports whether an object that was applied leaves the manifests.
func lacksSome(now, before []manifest.Object) bool {
	return slices.ContainsFunc(before, func(o manifest.Object) bool { return leaves(o, now) })
}

// has reports whether one of the objects is the one that o is, whatever its content.
func has(objects []manifest.Object, o manifest.Object) bool {
	return slices.ContainsFunc(objects, func(x manifest.Object) bool { return nameOf(x.Unstructured) == nameOf(o.Unstructured) })
}

// resource is where objects like this are. It gives a namespaced one without a namespace the default one, and takes it
// from one that is in none.
func (a *applier) resource(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := o.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) { // of a CRD that is new
		a.mapper.Reset()
		mapping, err = a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		o.SetNamespace("")
		return a.client.Resource(mapping.Resource), nil
	}
	if o.GetNamespace() == "" {
		o.SetNamespace(metav1.NamespaceDefault)
	}
	return a.client.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
}

// nameOf is an object as kubectl names it: kind.group/name, with its namespace.
func nameOf(o *unstructured.Unstructured) string {
	gk := o.GroupVersionKind().GroupKind()
	name := strings.ToLower(gk.String()) + "/" + cmp.Or(o.GetName(), o.GetGenerateName()+"*")
	if o.GetNamespace() != "" {
		name += " in " + o.GetNamespace()
	}
	return name
}
