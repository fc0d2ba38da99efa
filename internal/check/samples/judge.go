// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/crd/write"
	"github.com/crdctl/crdctl/internal/text"
)

// judge judges objects, compiling the schemas that it needs.
type judge struct {
	project  *project.Project
	mutates  func(group, plural string) bool // a webhook
	crds     []*project.CRD                  // of the project, now or at some time
	kinds    map[string]*kind                // by group and kind
	problems []error                         // kinds that cannot be judged
	// placeholders is how many values were not judged, since the reader has to put in others.
	placeholders int
}

// kind is a CRD with the versions that were compiled so far.
type kind struct {
	*project.CRD
	defaulted *apiextv1.CustomResourceDefinition
	versions  map[string]*write.Version // nil for one that cannot be compiled
	mutated   bool                      // by a webhook of the project
}

// kindOf is the kind of an object, or nil.
func (j *judge) kindOf(o object) *kind {
	gk := o.GroupVersionKind().GroupKind()
	if k, known := j.kinds[gk.String()]; known {
		return k
	}
	var k *kind
	for _, crd := range j.crds {
		if crd.Spec.Group == gk.Group && crd.Spec.Names.Kind == gk.Kind {
			k = &kind{CRD: crd, defaulted: crd.DeepCopy(), versions: map[string]*write.Version{}, mutated: j.mutates(gk.Group, crd.Spec.Names.Plural)}
			apiextv1.SetObjectDefaults_CustomResourceDefinition(k.defaulted)
		}
	}
	j.kinds[gk.String()] = k
	return k
}

// version is a compiled version of a kind; nil where the API server would not take its schema.
func (j *judge) version(k *kind, name string) *write.Version {
	if v, known := k.versions[name]; known {
		return v
	}
	for i := range k.defaulted.Spec.Versions {
		v := &k.defaulted.Spec.Versions[i]
		if v.Name != name {
			continue
		}
		compiled, err := write.Compile(k.defaulted, v)
		if err != nil {
			j.problems = append(j.problems, fmt.Errorf("%s:%d: the samples of %s/%s cannot be checked: %w", k.File, k.Line, k.Name, name, err))
			compiled = nil
		}
		k.versions[name] = compiled
	}
	return k.versions[name]
}

// object is what is wrong with an object.
func (j *judge) object(ctx context.Context, s source, o object) (all []rule.Finding) {
	subject := fmt.Sprintf("%s: %s %s", s.file, o.GetKind(), nameOf(o))
	found := func(id, path, format string, args ...any) *rule.Finding {
		all = append(all, rule.New(id, o.at(s.file, path), subject, format, args...))
		return &all[len(all)-1]
	}
	k := j.kindOf(o)
	if k == nil {
		if near := text.DidYouMean(o.GetKind(), j.kindsIn(o.GroupVersionKind().Group)); near != "" && !j.project.Declares(o.GroupVersionKind().Group, o.GetKind()) {
			found("sample-kind", "kind", "the group %s has no kind %s; did you mean %s?", o.GroupVersionKind().Group, o.GetKind(), near)
		}
		return all
	}
	name := o.GroupVersionKind().Version
	if len(k.Spec.Versions) == 0 {
		return all // a CRD of an API version that no API server takes
	}
	if v := k.Version(name); v == nil || !v.Served {
		problem := "does not have"
		if v != nil {
			problem = "does not serve"
		}
		f := found("sample-version", "apiVersion", "%s %s version %s", k.Name, problem, name)
		if s.role == document && strings.Contains("/"+s.file, "/"+name+"/") {
			f.Severity = rule.Note // it is about that version
		}
		f.Fix = "Use one of the versions that are served: " + strings.Join(served(k), ", ") + "."
		return all
	}
	v := j.version(k, name)
	if v == nil {
		return nil
	}
	object := o.DeepCopy()
	if object.GetName() == "" && object.GetGenerateName() != "" {
		object.SetName(object.GetGenerateName() + "x") // as the API server makes one
	}
	if k.defaulted.Spec.Scope == apiextv1.NamespaceScoped && object.GetNamespace() == "" {
		object.SetNamespace("default") // as kubectl does
	} else if k.defaulted.Spec.Scope == apiextv1.ClusterScoped && object.GetNamespace() != "" {
		found("sample-namespace", "metadata.namespace", "a %s has no namespace: the API server leaves out %s", k.Spec.Names.Kind, object.GetNamespace())
		object.SetNamespace("")
	}
	if _, ok := object.Object["status"]; ok && v.HasStatus() {
		found("sample-status", "status", "the status of this object is left out when it is created")
		delete(object.Object, "status")
	}
	lost, err := v.Decode(object.Object)
	if err != nil {
		found("sample-invalid", "", "%v", err)
		return all
	}
	for _, path := range lost {
		f := found("sample-unknown-field", path, "the schema does not have %s", path)
		if near := near(k.Version(name), path); near != "" {
			f.Fix = fmt.Sprintf("Did you mean %s?", near)
		}
	}
	values, rules := v.Create(ctx, object.Object)
	for _, e := range values {
		if e.Type == field.ErrorTypeRequired && s.role >= proposal {
			continue // what is not shown is not wrong
		}
		if o.toFill(e) {
			j.placeholders++
			continue
		}
		f := found("sample-invalid", e.Field, "%s", write.Text(e))
		if e.Type == field.ErrorTypeRequired {
			f.Fix = "Add the field."
			if o.isNull(e.Field) {
				f.Fix = "Give the field a value: it has none here, which is null."
			}
		}
		if e.Type == field.ErrorTypeRequired && path.Ext(s.file) == ".md" {
			f.Severity = rule.Note // pages show parts of objects
		}
		if k.mutated && e.Type == field.ErrorTypeRequired {
			f.Severity, f.Fix = rule.Note, "Add the field, unless the project's mutating webhook sets it."
		}
	}
	for _, e := range rules {
		f := found("sample-rule", e.Field, "%s", write.Text(e))
		if k.mutated {
			f.Severity, f.Fix = min(f.Severity, rule.Warning), "Correct the value, unless the project's mutating webhook does."
		}
	}
	return all
}

func nameOf(o object) string {
	if o.GetName() == "" {
		return o.GetGenerateName()
	}
	return o.GetName()
}

func served(k *kind) (names []string) {
	for _, v := range k.Spec.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	return names
}

func (j *judge) kindsIn(group string) (names []string) {
	for _, crd := range j.crds {
		if crd.Spec.Group == group {
			names = append(names, crd.Spec.Names.Kind)
		}
	}
	return names
}

// near is the field that an unknown one was meant to be, or "".
func near(v *apiextv1.CustomResourceDefinitionVersion, path string) string {
	parts := strings.Split(path, ".")
	var names []string
	for _, part := range parts[:len(parts)-1] {
		name, index, _ := strings.Cut(part, "[")
		if name != "" {
			names = append(names, name)
		}
		if index != "" {
			names = append(names, project.Items)
		}
	}
	parent := project.Lookup(v.Schema.OpenAPIV3Schema, names)
	if parent == nil {
		return ""
	}
	var known []string
	for name := range parent.Properties {
		known = append(known, name)
	}
	slices.Sort(known)
	return text.DidYouMean(parts[len(parts)-1], known)
}
