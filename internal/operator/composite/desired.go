// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"errors"
	"fmt"
	"strings"

	names "k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// desired is a child that there is to be.
type desired struct {
	kind    *children
	key     cache.ObjectName
	content map[string]any
}

func (d *desired) String() string {
	return d.kind.Kind + " " + d.key.String()
}

// wanted checks the children of an answer, and completes them: a namespace, and who owns them. All that is wrong is in
// the one error.
func (r *reconciler) wanted(parent *object.Object, children []map[string]any) ([]desired, error) {
	var all []desired
	var problems []error
	type identity struct { // of an object: kinds of two groups may share their name
		resource schema.GroupResource
		key      cache.ObjectName
	}
	seen := map[identity]bool{}
	for i, content := range children {
		d, err := r.oneWanted(parent, content)
		var its identity
		if err == nil {
			its = identity{d.kind.Resource.GroupResource(), d.key}
		}
		if seen[its] {
			err = fmt.Errorf("%s is in the list already; each child must be there once", d.String())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("children[%d]: %w", i, err))
			continue
		}
		seen[its] = true
		all = append(all, d)
	}
	return all, errors.Join(problems...)
}

func (r *reconciler) oneWanted(parent *object.Object, content map[string]any) (desired, error) {
	d := desired{content: content}
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	meta, _ := content["metadata"].(map[string]any)
	d.key.Name, _ = meta["name"].(string)
	d.key.Namespace, _ = meta["namespace"].(string)
	switch {
	case apiVersion == "" || kind == "":
		return d, errors.New("apiVersion or kind is missing")
	case d.key.Name == "":
		return d, fmt.Errorf("the %s has no metadata.name; set one (generateName is not supported)", kind)
	}
	for _, name := range []string{d.key.Name, d.key.Namespace} { // they become part of a request's path
		if problems := names.IsPathSegmentName(name); problems != nil {
			return d, fmt.Errorf("the %s has %q for a name or a namespace, which %s", kind, name, strings.Join(problems, " and "))
		}
	}
	for i := range r.children {
		if k := &r.children[i]; k.Kind == kind && k.apiVersion() == apiVersion {
			d.kind = k
		}
	}
	switch {
	case d.kind == nil:
		return d, fmt.Errorf("%s of %s is not an owned kind; add --owns %s/%s, or %s/%s to loop.owns in crdctl.yaml", kind, apiVersion, apiVersion, kind, apiVersion, kind)
	case !d.kind.Namespaced && parent.Namespace() != "":
		return d, fmt.Errorf("%s is cluster-scoped, and an object in a namespace cannot own it", d.String())
	case !d.kind.Namespaced && d.key.Namespace != "":
		return d, fmt.Errorf("%s is cluster-scoped; remove metadata.namespace", d.String())
	case d.kind.Namespaced && d.key.Namespace == "" && parent.Namespace() == "":
		return d, fmt.Errorf("%s has no metadata.namespace; set it, because its parent is cluster-scoped", d.String())
	case d.kind.Namespaced && parent.Namespace() != "" && d.key.Namespace != "" && d.key.Namespace != parent.Namespace():
		return d, fmt.Errorf("%s is not in the namespace of its parent, %s; an owner must be in the same namespace", d.String(), parent.Namespace())
	}
	if d.kind.Namespaced && d.key.Namespace == "" {
		d.key.Namespace = parent.Namespace()
	}
	if !d.kind.follows(d.key.Namespace) {
		return d, fmt.Errorf("%s is in a namespace that this loop does not watch; add it to --namespace (loop.namespaces)", d.String())
	}
	return d, own(&d, parent)
}
