// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/crd/write"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/yamlpath"
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

// beta is the API version of CRDs that had one schema for all versions.
const beta = "apiextensions.k8s.io/v1beta1"

// verdict is what is wrong with one object.
type verdict struct {
	*judge
	source
	object
	kind    *kind
	subject string
	found   []rule.Finding
	at      map[string]int // of which finding a value is that has one, by its path
	absent  map[rule.Place]*absence
}

// absence is the fields that are missing at a place, and the finding that names them.
type absence struct {
	finding int
	fields  []string
}

func (v *verdict) report(id, path, format string, args ...any) *rule.Finding {
	v.found = append(v.found, rule.New(id, v.place(path), v.subject, format, args...))
	return &v.found[len(v.found)-1]
}

func (v *verdict) place(path string) rule.Place { return v.object.at(v.file, path) }

// object is what is wrong with an object.
func (j *judge) object(ctx context.Context, s source, o object) []rule.Finding {
	v := verdict{judge: j, source: s, object: o, kind: j.kindOf(o), subject: fmt.Sprintf("%s: %s %s", s.file, o.GetKind(), nameOf(o)), at: map[string]int{}, absent: map[rule.Place]*absence{}}
	switch {
	case v.kind == nil:
		group := o.GroupVersionKind().Group
		if near := text.DidYouMean(o.GetKind(), j.kindsIn(group)); near != "" && !j.project.Declares(group, o.GetKind()) && !j.project.Uses(o.GetKind()) {
			v.report("sample-kind", "kind", "the group %s has no kind %s; did you mean %s?", group, o.GetKind(), near)
		}
	case len(v.kind.Spec.Versions) == 0 || v.kind.APIVersion == beta: // no API server takes the CRD
	case v.served():
		if compiled := j.version(v.kind, o.GroupVersionKind().Version); compiled != nil {
			v.create(ctx, compiled)
		}
	}
	return v.found
}

// served reports whether the API server has the version of the object.
func (v *verdict) served() bool {
	name := v.GroupVersionKind().Version
	of := v.kind.Version(name)
	if of != nil && of.Served {
		return true
	}
	problem := "does not have"
	if of != nil {
		problem = "does not serve"
	}
	f := v.report("sample-version", "apiVersion", "%s %s version %s", v.kind.Name, problem, name)
	if v.role == document && strings.Contains("/"+v.file, "/"+name+"/") {
		f.Severity = rule.Note // it is about that version
	}
	f.Fix = "Use one of the versions that are served: " + strings.Join(served(v.kind), ", ") + "."
	return false
}

// create is what the API server says when the object is created.
func (v *verdict) create(ctx context.Context, version *write.Version) {
	object, k := v.DeepCopy(), v.kind
	if object.GetName() == "" && object.GetGenerateName() != "" {
		object.SetName(object.GetGenerateName() + "x") // as the API server makes one
	}
	if k.defaulted.Spec.Scope == apiextv1.NamespaceScoped && object.GetNamespace() == "" {
		object.SetNamespace("default") // as kubectl does
	} else if k.defaulted.Spec.Scope == apiextv1.ClusterScoped && object.GetNamespace() != "" {
		v.report("sample-namespace", "metadata.namespace", "%s is cluster-scoped: the API server ignores the namespace %s", k.Spec.Names.Kind, object.GetNamespace())
		object.SetNamespace("")
	}
	if _, ok := object.Object["status"]; ok && version.HasStatus() {
		v.report("sample-status", "status", "the status of this object is left out when it is created")
		delete(object.Object, "status")
	}
	lost, err := version.Decode(object.Object)
	if err != nil {
		v.report("sample-invalid", "metadata", "%v", err)
		return
	}
	values, rules := version.Create(ctx, object.Object)
	values = alternatives(k.Version(object.GroupVersionKind().Version), values)
	for _, path := range lost {
		if slices.ContainsFunc(values, func(e *field.Error) bool {
			return e.Type == field.ErrorTypeTypeInvalid && strings.HasPrefix(path, e.Field+".")
		}) {
			continue // the schema is of another type there, and has no fields
		}
		f := v.report("sample-unknown-field", path, "the schema does not have %s", path)
		if near := near(k.Version(object.GroupVersionKind().Version), path); near != "" {
			f.Fix = fmt.Sprintf("Did you mean %s?", near)
		}
	}
	for _, e := range values {
		if e.Type != field.ErrorTypeRequired || v.role < proposal { // what is not shown there is not wrong
			v.invalid(e)
		}
	}
	for _, e := range rules {
		f := v.about("sample-rule", e)
		if f != nil && k.mutated {
			f.Severity, f.Fix = min(f.Severity, rule.Warning), "Correct the value, unless the project's mutating webhook does."
		}
	}
}

// invalid reports what the schema has against a value. Fields that one object or item lacks are one finding.
func (v *verdict) invalid(e *field.Error) {
	place, absent := v.place(e.Field), e.Type == field.ErrorTypeRequired && e.Detail == "" && !v.isNull(e.Field)
	if of := v.absent[place]; absent && of != nil {
		f := &v.found[of.finding]
		if f.Message = strings.Join(of.fields, ", ") + " and " + e.Field + " are required"; len(of.fields) == 1 {
			f.Fix = strings.Replace(f.Fix, "the field", "the fields", 1)
		}
		of.fields = append(of.fields, e.Field)
		return
	}
	f := v.about("sample-invalid", e)
	if absent && f != nil {
		v.absent[place] = &absence{len(v.found) - 1, []string{e.Field}}
	}
	if f == nil || e.Type != field.ErrorTypeRequired {
		return
	}
	f.Fix = "Add the field."
	if v.isNull(e.Field) {
		f.Fix = "Give the field a value: it has none here, which is null."
	}
	if path.Ext(v.file) == ".md" {
		f.Severity = rule.Note // pages show parts of objects
	}
	if v.kind.mutated {
		f.Severity, f.Fix = rule.Note, "Add the field, unless the project's mutating webhook sets it."
	}
}

// about reports an error about a value. It returns nil for one that the reader has to put in, and for one with a finding already, which then has
// this error, too: a value that is wrong in two ways is one mistake. An object or a list may have several.
func (v *verdict) about(id string, e *field.Error) *rule.Finding {
	if v.toFill(e) {
		v.placeholders++
		return nil
	}
	if i, known := v.at[e.Field]; known {
		v.found[i].Message += "; " + write.Text(e)
		return nil
	}
	f := v.report(id, e.Field, "%s", write.Text(e))
	if value := yamlpath.Value(v.node, e.Field); value != nil && value.Kind == yaml.ScalarNode {
		v.at[e.Field] = len(v.found) - 1
	}
	return f
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

// at is the schema at the path of a value; nil if there is none.
func at(v *apiextv1.CustomResourceDefinitionVersion, path string) *apiextv1.JSONSchemaProps {
	var names []string
	for part := range strings.SplitSeq(path, ".") {
		name, index, _ := strings.Cut(part, "[")
		if name != "" {
			names = append(names, name)
		}
		if index != "" {
			names = append(names, project.Items)
		}
	}
	return project.Lookup(v.Schema.OpenAPIV3Schema, names)
}

// near is the field that an unknown one was meant to be, or "".
func near(v *apiextv1.CustomResourceDefinitionVersion, path string) string {
	i := strings.LastIndexByte(path, '.')
	parent := at(v, path[:max(i, 0)])
	if parent == nil {
		return ""
	}
	var known []string
	for name := range parent.Properties {
		known = append(known, name)
	}
	slices.Sort(known)
	return text.DidYouMean(path[i+1:], known)
}
