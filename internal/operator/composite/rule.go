// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// rule says which objects of a resource are related to a parent: Metacontroller's ResourceRule.
type rule struct {
	APIVersion        string                `json:"apiVersion"`
	Resource          string                `json:"resource"`
	LabelSelector     *metav1.LabelSelector `json:"labelSelector"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
	Namespace         string                `json:"namespace"`
	Names             []string              `json:"names"`

	served   Served
	selector labels.Selector
	// parent is the parent's namespace, to which the objects of namespaced kinds are bound.
	parent string
}

// The fields that the answer of a customize hook has, and each of its rules.
var (
	customizeFields = []string{"relatedResources"}
	ruleFields      = []string{"apiVersion", "resource", "labelSelector", "namespaceSelector", "namespace", "names"}
)

// readRules decodes the answer of a customize hook. A field that is skipped may be a misspelt one, and a rule without it
// selects more than it should.
func (r *reconciler) readRules(said []byte) ([]rule, error) {
	var answer struct {
		RelatedResources []rule `json:"relatedResources"`
	}
	if err := noDuplicates(said); err != nil {
		return nil, err
	}
	if err := utiljson.Unmarshal(said, &answer); err != nil {
		return nil, formError(err)
	}
	var fields struct {
		answer map[string]json.RawMessage
		rules  []map[string]json.RawMessage
	}
	if err := json.Unmarshal(said, &fields.answer); err != nil {
		return nil, formError(err)
	}
	r.warnOfOthers(fields.answer, "", customizeFields)
	if text, has := fields.answer["relatedResources"]; has {
		if err := json.Unmarshal(text, &fields.rules); err != nil {
			return nil, formError(err)
		}
	}
	for _, each := range fields.rules {
		r.warnOfOthers(each, "relatedResources[].", ruleFields)
	}
	return answer.RelatedResources, nil
}

// settle checks a rule and makes it ready to use.
func (r *rule) settle(parent *object.Object) error {
	r.parent = strings.Clone(parent.Namespace()) // or the whole object would be kept
	switch {
	case r.APIVersion == "" || r.Resource == "":
		return errors.New("apiVersion or resource is missing")
	case r.NamespaceSelector != nil:
		return errors.New("namespaceSelector is not supported; use labelSelector or namespace")
	case len(r.Names) > 0 && r.LabelSelector != nil:
		return errors.New("names and labelSelector cannot be used together; use one of them")
	case r.parent != "" && r.Namespace != "" && r.Namespace != r.parent:
		return fmt.Errorf("its namespace is %s, but the parent is in %s; a namespaced object can only be related to objects in its own namespace", r.Namespace, r.parent)
	}
	r.selector = labels.Everything()
	if r.LabelSelector == nil {
		return nil
	}
	var err error
	r.selector, err = metav1.LabelSelectorAsSelector(r.LabelSelector)
	return err
}

// candidate is an object that many rules may be held against: its labels are decoded once, and only if one asks for them.
type candidate struct {
	*object.Object
	labels labels.Set
	err    error
	read   bool
}

func (c *candidate) labelled(as labels.Selector) bool {
	if !c.read {
		c.read = true
		var meta *metav1.ObjectMeta
		if meta, c.err = c.Meta(); c.err == nil {
			c.labels = meta.Labels
		}
	}
	return c.err == nil && as.Matches(c.labels)
}

func (r *rule) selects(o *candidate) bool {
	switch {
	case r.parent != "" && o.Namespace() != "" && o.Namespace() != r.parent,
		r.Namespace != "" && o.Namespace() != r.Namespace,
		len(r.Names) > 0 && !slices.Contains(r.Names, o.Name()):
		return false
	case r.selector.Empty():
		return true
	}
	return o.labelled(r.selector)
}
