// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"slices"
	"strings"

	apivalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// nodes judges each schema of a CRD on its own.
func nodes(crd *project.CRD) (all []rule.Finding, err error) {
	crd.Walk(func(n *project.Node) bool {
		j := judged{crd: crd, Node: n}
		j.required()
		j.ranges()
		j.enum()
		j.format()
		j.lists()
		j.defaults()
		j.metadata()
		all = append(all, j.found...)
		return true
	})
	return all, nil
}

// judged is a schema with what was found in it.
type judged struct {
	*project.Node
	crd   *project.CRD
	found []rule.Finding
}

// add adds a finding at the marker of a key.
func (j *judged) add(id, key, format string, args ...any) *rule.Finding {
	j.found = append(j.found, rule.New(id, at(j.crd, j.Version.Name, j.Path, key), j.crd.Subject(j.Version.Name, j.Path...), format, args...))
	return &j.found[len(j.found)-1]
}

// resource reports whether the schema is that of an object with metadata.
func (j *judged) resource() bool { return j.Parent == nil || j.Schema.XEmbeddedResource }

// required finds names in required that are no fields: without such a field an object is refused, and with it, the field is pruned.
func (j *judged) required() {
	s := j.Schema
	if preserves(s) || s.AdditionalProperties != nil || s.Type != "object" {
		return
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok && (!j.resource() || !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)) {
			j.add("required-undeclared", "required", "the required field %s is not in the schema", name)
		}
	}
}

// lists finds sets of what is not a scalar. The server refuses those whose items are not atomic.
func (j *judged) lists() {
	s := j.Schema
	if s.XListType == nil || *s.XListType != "set" || s.Items == nil || s.Items.Schema == nil {
		return
	}
	if items := s.Items.Schema; items.Type == "array" || items.Type == "object" && items.XMapType != nil && *items.XMapType == "atomic" {
		j.add("set-of-objects", "x-kubernetes-list-type", "the list is a set of values of the type %s", items.Type)
	}
}

// format finds formats that the API server does not check, or does not check before some version.
func (j *judged) format() {
	format := j.Schema.Format
	if format == "" {
		return
	}
	unknown := func(n uint) bool {
		s := &spec.Schema{SchemaProps: spec.SchemaProps{Format: format, Type: []string{j.Schema.Type}}}
		return len(apivalidation.GetUnrecognizedFormats(s, minor(n-1))) > 0
	}
	if unknown(currentMinor()) {
		j.add("format-unknown", "format", "the API server does not know the format %s of the type %s", format, j.Schema.Type)
		return
	}
	since := oldestMinor
	for unknown(since) {
		since++
	}
	if since > oldestMinor {
		j.add("format-since", "format", "Kubernetes before 1.%d does not check the format %s", since, format)
	}
}

// metadata finds metadata that is pruned: in an object of its own, as the API server knows it in whole resources only.
func (j *judged) metadata() {
	s := j.Schema
	if j.Parent == nil || !strings.HasSuffix(strings.ToLower(j.Name()), "metadata") || s.Type != "object" || len(s.Properties) > 0 || s.AdditionalProperties != nil || preserves(s) ||
		s.XEmbeddedResource || (j.Parent.Parent == nil || j.Parent.Schema.XEmbeddedResource) && j.Name() == "metadata" {
		return
	}
	f := j.add("embedded-metadata-pruned", "", "%s keeps nothing: its schema has no fields", j.Name())
	if slices.Contains(j.Path, "ephemeral") {
		f.Severity = rule.Note // of the claim that a volume of a pod makes: hardly used
	}
}
