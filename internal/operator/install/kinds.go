// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"errors"
	"fmt"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/builtin"
)

// resource is a kind as roles name it.
type resource struct {
	group, plural string
	namespaced    bool
}

func resourceOf(crd *apiextv1.CustomResourceDefinition) resource {
	return resource{group: crd.Spec.Group, plural: crd.Spec.Names.Plural, namespaced: crd.Spec.Scope == apiextv1.NamespaceScoped}
}

// resources finds the names of the resources of kinds, which the setting field has. All that are not found are in the error.
func (o *Options) resources(field string, texts []string) (all []resource, err error) {
	var problems []error
	for i, text := range texts {
		r, err := o.resource(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s[%d]: %w", field, i, err))
		}
		all = append(all, r)
	}
	return all, errors.Join(problems...)
}

// resource asks the CRDs first, then the settings, then client-go: only a CRD knows its scope.
func (o *Options) resource(text string) (resource, error) {
	kind, err := config.ParseObjectKind(text)
	if err != nil {
		return resource{}, err
	}
	for _, crd := range o.CRDs {
		if crd.Spec.Group == kind.Group && crd.Spec.Names.Kind == kind.Kind {
			return resourceOf(crd), nil
		}
	}
	known, ok := builtin.Find(kind.GroupVersionKind())
	switch {
	case ok:
		return resource{group: kind.Group, plural: known.Plural, namespaced: known.Namespaced}, nil
	case kind.Plural != "":
		return resource{group: kind.Group, plural: kind.Plural, namespaced: true}, nil
	}
	return resource{}, fmt.Errorf("the resource name (plural) of %q is unknown: neither the CRDs nor client-go have that kind; %s; or append the name, for example %s=things",
		text, cmp.Or(builtin.Hint(kind.GroupVersionKind()), "name one such as apps/v1/Deployment or v1/ConfigMap"), text)
}
