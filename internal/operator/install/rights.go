// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// rights are what the loop needs: in the whole cluster, in each of the namespaces that it follows, and in its own.
type rights struct {
	cluster, each, own grants
}

var (
	follow = []string{"list", "watch"}
	// write has get, for a name that may be taken by another's object: of children only those are in memory that are owned.
	write = []string{"get", "create", "patch", "delete"}
)

// rights derives the least that the loop does its work with from the kinds, from what decides, and from the children.
// customizes names what asks for related objects, or is empty.
func (o *Options) rights(customizes string, note func(string, ...any)) (*rights, error) {
	owned, err := o.resources("owns", o.Loop.Owns)
	related, relatedErr := o.resources("related", o.Loop.Related)
	if err := errors.Join(err, relatedErr); err != nil {
		return nil, err
	}
	r := &rights{cluster: grants{}, each: grants{}, own: grants{}}
	// A role in a namespace cannot grant what is in none.
	where := func(res resource) grants {
		if res.namespaced && len(o.Loop.Namespaces) > 0 {
			return r.each
		}
		return r.cluster
	}
	var names []string
	for _, crd := range o.CRDs {
		names = append(names, crd.Name)
		o.parentRights(where(resourceOf(crd)), crd)
	}
	for _, child := range owned {
		where(child).allow(child.group, child.plural, slices.Concat(follow, write)...)
		if child.group == "rbac.authorization.k8s.io" {
			note("%s are owned: the controller can only grant rights that it has itself; add those rights to its role", child.plural)
		}
	}
	for _, other := range related {
		where(other).allow(other.group, other.plural, follow...)
	}
	if customizes != "" && len(related) == 0 {
		note("%s may ask for any kind, so the roles grant none of them; name the kinds with --related, or as loop.related", customizes)
	}
	// The loop reads CRDs by their names, to learn of kinds and to see them come and go.
	r.cluster.allowNamed(apiextv1.GroupName, "customresourcedefinitions", names, "get")
	o.eventRights(r)
	o.leaseRights(r.own)
	return r, nil
}

// parentRights are those on the kind that is followed.
func (o *Options) parentRights(g grants, crd *apiextv1.CustomResourceDefinition) {
	group, plural := crd.Spec.Group, crd.Spec.Names.Plural
	g.allow(group, plural, follow...)
	if !o.Loop.Decides() {
		return // it says what it sees
	}
	if hasStatus(crd) {
		g.allow(group, plural+"/status", "patch")
	}
	// Finalizers are metadata: they are set with a finalize hook, and without one those of a former hook are taken away, or
	// their objects could never go. Where status is not a subresource it is part of the object too.
	g.allow(group, plural, "patch")
	if len(o.Loop.Owns) > 0 {
		// Children block the deletion of their owner, which an API server may allow only those who may finalize the owner
		// (the admission plugin OwnerReferencesPermissionEnforcement).
		g.allow(group, plural+"/finalizers", "update")
	}
}

// hasStatus reports whether there are served versions with the status subresource.
func hasStatus(crd *apiextv1.CustomResourceDefinition) bool {
	return slices.ContainsFunc(crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool {
		return v.Served && v.Subresources != nil && v.Subresources.Status != nil
	})
}

// eventRights are those on events, which are where the objects are that they are about.
func (o *Options) eventRights(r *rights) {
	namespaced, clusterScoped := false, false
	for _, crd := range o.CRDs {
		if resourceOf(crd).namespaced {
			namespaced = true
		} else {
			clusterScoped = true
		}
	}
	g := r.each
	if len(o.Loop.Namespaces) == 0 || clusterScoped && !namespaced {
		g = r.cluster
	}
	g.allow("", "events", "create", "patch")
	if clusterScoped {
		r.cluster.allow("", "events", "create", "patch") // of objects in no namespace, they are in the namespace default
	}
}

// leaseRights are those on the leases that replicas compete for.
func (o *Options) leaseRights(g grants) {
	const group = "coordination.k8s.io"
	if o.Loop.Shards > 1 {
		// Those of members are made and removed under names that are not known beforehand.
		g.allow(group, "leases", "get", "list", "create", "update", "delete")
		return
	}
	g.allow(group, "leases", "create") // RBAC cannot grant the right to create objects of a certain name only
	g.allowNamed(group, "leases", []string{o.Loop.Name}, "get", "update")
}
