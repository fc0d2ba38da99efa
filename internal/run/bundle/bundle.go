// SPDX-License-Identifier: Apache-2.0

// Package bundle makes of the manifests of a project's own controller what its users install: one manifest, or a Helm chart.
//
// It reads manifests and builds kustomizations; it writes no files, talks to no cluster and does not run Helm. The manifests of the
// built-in controller are package operator/install's.
package bundle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Options say what becomes of the manifests.
type Options struct {
	Image string
	// Namespace is where the controller is to be; empty for the one in the manifests.
	Namespace string
	// Replicas is the number of pods; 0 for the one in the manifests.
	Replicas int
	// Requests and Limits are the resources of the controller's container; nil for those in the manifests.
	Requests, Limits map[string]string
}

// Bundle is all that is to be installed, in the order in which it is applied.
type Bundle struct {
	// Name is what the controller is called, and Namespace where it is.
	Name, Namespace string

	options    Options
	objects    []*unstructured.Unstructured
	deployment *unstructured.Unstructured // one of objects
	container  map[string]any             // of its pods
}

// New sets in the objects of a controller what the options say. The objects are changed.
func New(objects []*unstructured.Unstructured, o Options) (*Bundle, error) {
	b := &Bundle{options: o, objects: unique(objects)}
	slices.SortStableFunc(b.objects, func(x, y *unstructured.Unstructured) int { return cmp.Compare(rank(x), rank(y)) })
	for _, object := range b.objects {
		unstructured.RemoveNestedField(object.Object, "status")
		unstructured.RemoveNestedField(object.Object, "metadata", "creationTimestamp")
		if object.GetKind() != "Deployment" {
			continue
		}
		if b.deployment != nil {
			return nil, fmt.Errorf("the manifests have two Deployments, %s and %s; one is expected, that of the controller", b.deployment.GetName(), object.GetName())
		}
		b.deployment = object
	}
	if b.deployment == nil {
		return nil, errors.New("the manifests have no Deployment of the controller; add one to controller.manifests in crdctl.yaml, or use --builtin for the built-in controller")
	}
	b.Namespace = cmp.Or(b.deployment.GetNamespace(), "default")
	b.Name = strings.TrimSuffix(b.Namespace, "-system")
	if b.Namespace == "default" {
		b.Name = b.deployment.GetName()
	}
	if err := b.findContainer(); err != nil {
		return nil, err
	}
	b.container["image"] = o.Image
	if o.Replicas > 0 {
		if err := unstructured.SetNestedField(b.deployment.Object, int64(o.Replicas), "spec", "replicas"); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(b.setResources("requests", o.Requests), b.setResources("limits", o.Limits)); err != nil {
		return nil, err
	}
	return b, b.checkResources()
}

// checkResources refuses a request above the limit, as the API server does when it is too late.
func (b *Bundle) checkResources() error {
	if b.options.Requests == nil && b.options.Limits == nil {
		return nil
	}
	requests, _, _ := unstructured.NestedMap(b.container, "resources", "requests")
	limits, _, _ := unstructured.NestedMap(b.container, "resources", "limits")
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request, err := resource.ParseQuantity(fmt.Sprint(requests[name]))
		limit, limitErr := resource.ParseQuantity(fmt.Sprint(limits[name]))
		if err == nil && limitErr == nil && request.Cmp(limit) > 0 {
			return fmt.Errorf("--requests: %s=%s is above its limit, %s; lower the request, or raise the limit with --limits", name, &request, &limit)
		}
	}
	return nil
}

// unique drops objects that are there already.
func unique(objects []*unstructured.Unstructured) (all []*unstructured.Unstructured) {
	seen := map[string]bool{}
	for _, o := range objects {
		key := strings.Join([]string{o.GroupVersionKind().GroupKind().String(), o.GetNamespace(), o.GetName()}, "/")
		if !seen[key] {
			all = append(all, o)
		}
		seen[key] = true
	}
	return all
}

// order are the kinds that others need first; webhooks are last, because their server must exist.
var order = []string{"Namespace", "CustomResourceDefinition", "ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"}

// last are the kinds that come after all others.
var last = []string{"Deployment", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}

func rank(o *unstructured.Unstructured) int {
	if i := slices.Index(order, o.GetKind()); i >= 0 {
		return i
	}
	return len(order) + 1 + slices.Index(last, o.GetKind())
}

// findContainer finds the container of the controller: the first that is called manager or controller, or else the first.
func (b *Bundle) findContainer() error {
	spec, _, err := unstructured.NestedFieldNoCopy(b.deployment.Object, "spec", "template", "spec")
	if err != nil {
		return err
	}
	pod, _ := spec.(map[string]any)
	containers, _ := pod["containers"].([]any)
	for _, c := range containers {
		container, ok := c.(map[string]any)
		named := ok && slices.Contains([]any{"manager", "controller"}, container["name"])
		if named || ok && b.container == nil {
			b.container = container
		}
		if named {
			break
		}
	}
	if b.container == nil {
		return fmt.Errorf("deployment %s has no container; add the one of the controller", b.deployment.GetName())
	}
	return nil
}

func (b *Bundle) setResources(which string, amounts map[string]string) error {
	if amounts == nil {
		return nil
	}
	list := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		amount := amounts[name]
		switch quantity, err := resource.ParseQuantity(amount); {
		case err != nil:
			return fmt.Errorf("--%s: %s=%s is not a quantity; write for example cpu=100m,memory=64Mi", which, name, amount)
		case quantity.Sign() < 0:
			return fmt.Errorf("--%s: %s=%s must not be negative", which, name, amount)
		case !isResource(name):
			return fmt.Errorf("--%s: %s=%s: %s is not a resource of a container; write cpu, memory, ephemeral-storage, hugepages-SIZE, or a name with a domain such as example.com/gpu", which, name, amount, name)
		}
		list[name] = amount
	}
	return unstructured.SetNestedField(b.container, list, "resources", which)
}

// isResource reports whether a container can request a resource of this name: the API server refuses others without a domain.
func isResource(name string) bool {
	return slices.Contains([]string{"cpu", "memory", "ephemeral-storage"}, name) || strings.HasPrefix(name, "hugepages-") || strings.Contains(name, "/")
}

// Manifest returns all objects as one stream of YAML documents.
func (b *Bundle) Manifest() ([]byte, error) {
	namespace := cmp.Or(b.options.Namespace, b.Namespace)
	var docs [][]byte
	for _, o := range b.objects {
		object := moved(o.Object, b.Namespace, namespace)
		if b.options.Namespace != "" {
			place(object, namespace)
		}
		doc, err := yaml.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("write %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		docs = append(docs, doc)
	}
	return bytes.Join(docs, []byte("---\n")), nil
}
