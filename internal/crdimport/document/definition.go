// SPDX-License-Identifier: Apache-2.0

package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	kjson "sigs.k8s.io/json"

	"github.com/crdctl/crdctl/internal/crd/manifest"
)

// approval is what the API server wants of a CRD in a group of the Kubernetes project.
const approval = apiextensionsv1.KubeAPIApprovedAnnotation

// notKept are annotations that tools write on the CRDs that they handle; they say nothing of the API.
var notKept = []string{"kubectl.kubernetes.io/last-applied-configuration", "controller-gen.kubebuilder.io/version"}

// Definition is one CRD.
type Definition struct {
	Group, Kind, Plural, Singular, ListKind string
	ShortNames, Categories                  []string
	Namespaced                              bool
	// Annotations are those that the CRD must keep, api-approved.kubernetes.io among them.
	Annotations map[string]string
	// Notes say what was done to the input before anything was made of it, a sentence each.
	Notes []string
	// CRD is the CRD in the form of v1, with defaults.
	CRD *apiextensionsv1.CustomResourceDefinition
	// Place is where it begins, as file:line.
	Place string
}

// Definition reads the CRD of a document and checks it as the API server would.
func (doc Document) Definition() (*Definition, error) {
	d := &Definition{Place: doc.Place()}
	var crd *apiextensionsv1.CustomResourceDefinition
	var err error
	switch doc.apiVersion {
	case apiextensionsv1.SchemeGroupVersion.String():
		crd = &apiextensionsv1.CustomResourceDefinition{}
		err = d.decode(doc, crd)
	case apiextensionsv1beta1.SchemeGroupVersion.String():
		crd, err = d.fromBeta(doc)
	default:
		err = fmt.Errorf("has apiVersion %q; make that %s", doc.apiVersion, apiextensionsv1.SchemeGroupVersion)
	}
	if err != nil {
		return nil, err
	}
	d.note(doc, repairScope(&crd.Spec.Scope))
	if err := manifest.Complete(crd, doc.json); err != nil {
		return nil, err
	}
	if apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) && crd.Annotations[approval] == "" {
		if crd.Annotations == nil {
			crd.Annotations = map[string]string{}
		}
		crd.Annotations[approval] = "unapproved, experimental-only"
		d.note(doc, fmt.Sprintf("the group %s belongs to the Kubernetes project, and API servers refuse its CRDs without the annotation %s, which was added: %s",
			crd.Spec.Group, approval, crd.Annotations[approval]))
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	if err := check(crd); err != nil {
		return nil, err
	}
	crd.APIVersion, crd.Kind = apiextensionsv1.SchemeGroupVersion.String(), "CustomResourceDefinition"
	crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	names := crd.Spec.Names
	d.Group, d.Kind, d.Plural, d.Singular, d.ListKind = crd.Spec.Group, names.Kind, names.Plural, names.Singular, names.ListKind
	d.ShortNames, d.Categories = names.ShortNames, names.Categories
	d.Namespaced = crd.Spec.Scope == apiextensionsv1.NamespaceScoped
	d.Annotations = maps.Clone(crd.Annotations)
	maps.DeleteFunc(d.Annotations, func(key, _ string) bool { return slices.Contains(notKept, key) })
	d.CRD = crd
	return d, nil
}

// decode decodes a CRD of any version. A field that the API has not is noted: an API server passes it over, and a client
// that is strict says so too.
func (d *Definition) decode(doc Document, into any) error {
	strict, err := kjson.UnmarshalStrict(doc.json, into)
	if err != nil {
		return fmt.Errorf("%w; write a value that the API server accepts", err)
	}
	for _, s := range strict {
		d.note(doc, fmt.Sprintf("%v, which crdctl ignored as the API server does", s))
	}
	return nil
}

func (d *Definition) note(doc Document, what string) {
	if what != "" {
		d.Notes = append(d.Notes, doc.Place()+": "+what)
	}
}

// repairScope gives the scope the letters that API servers want.
func repairScope(scope *apiextensionsv1.ResourceScope) string {
	for _, right := range []apiextensionsv1.ResourceScope{apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped} {
		if was := *scope; was != right && strings.EqualFold(string(was), string(right)) {
			*scope = right
			return fmt.Sprintf("the scope %s was read as %s", was, right)
		}
	}
	return ""
}
