// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// Objects are objects as they are stored, or would be.
type Objects []unstructured.Unstructured

// objectsIn are the objects in those documents of a manifest that may have some.
func objectsIn(file string, data []byte, may func(document []byte) bool) (all Objects, err error) {
	docs, err := yamldoc.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, doc := range docs {
		if !may(doc.Text) {
			continue
		}
		asJSON, err := kyaml.YAMLToJSON(doc.Text)
		if err != nil {
			return nil, doc.Error(file, err)
		}
		var u unstructured.Unstructured
		if err := u.UnmarshalJSON(asJSON); err != nil {
			continue // it has no kind
		}
		if !u.IsList() {
			all = append(all, u)
			continue
		}
		list, err := u.ToList()
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, doc.Line, err)
		}
		all = append(all, list.Items...)
	}
	return all, nil
}

// definition is the document of a CRD, which is not an object of one.
var definition = lazyregexp.New(`(?m)^kind: *CustomResourceDefinition *$`)

// readObjects reads the objects of files of a base. A file that does not parse is a template, unless all files are meant to be objects. Of
// these, all documents are parsed; of others, those that may have an object of a CRD.
func readObjects(b *revision.Base, strict bool, crds State, is func(file string) bool) (all Objects, err error) {
	may := func(document []byte) bool {
		if strict {
			return true
		}
		for _, crd := range crds {
			if bytes.Contains(document, []byte(crd.Spec.Group+"/")) {
				return !definition.Match(document)
			}
		}
		return false
	}
	for _, file := range b.Files(".") {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)) || !is(file) {
			continue
		}
		data, err := b.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := objectsIn(file, data, may)
		if err != nil && strict {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}

// isSample reports whether a file is in a directory of samples. They are the best that is known of what users have stored.
func isSample(file string) bool {
	return !foreign(file) && slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(dir string) bool {
		return slices.Contains([]string{"sample", "samples", "example", "examples"}, strings.ToLower(dir))
	})
}

// of are the objects of a CRD, at versions that it has.
func (all Objects) of(crd *project.CRD) (own Objects) {
	for _, u := range all {
		if gvk := u.GroupVersionKind(); gvk.Group == crd.Spec.Group && gvk.Kind == crd.Spec.Names.Kind && crd.Version(gvk.Version) != nil {
			u = *u.DeepCopy()
			if u.GetName() == "" {
				u.SetName(u.GetGenerateName() + "generated")
			}
			own = append(own, u)
		}
	}
	return own
}

// pages hands out the objects of an older CRD, some at a time. The function that takes them must not keep them.
type pages func(ctx context.Context, old *project.CRD, each func(Objects) error) error

// pages are all objects at once.
func (all Objects) pages(_ context.Context, old *project.CRD, each func(Objects) error) error {
	return each(all.of(old))
}

// stored has the API server's code write objects under the changed CRD, and adds what it says to the findings. It returns how many were tried.
func (all *findings) stored(ctx context.Context, old, now *project.CRD, objects pages) (tried int, err error) {
	before, after := old.DeepCopy(), now.DeepCopy()
	if now.Converted() {
		webhook := &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter}
		before.Spec.Conversion, after.Spec.Conversion = webhook, webhook
	}
	var change *compat.Change
	var order []*evidence
	err = objects(ctx, old, func(page Objects) error {
		if len(page) == 0 {
			return nil
		}
		if change == nil {
			if change, err = compat.NewChange(before, after); err != nil {
				return fmt.Errorf("write the objects of %s: %w", old.Name, err)
			}
		}
		results, err := change.Check(ctx, page)
		if err != nil {
			return fmt.Errorf("write the objects of %s: %w", old.Name, err)
		}
		order = all.evidence(order, old, now, results)
		tried += len(page)
		return nil
	})
	for _, e := range order {
		all.proves(old, now, e, tried)
	}
	return tried, err
}

// evidence adds what the API server says of some objects to what it said of others.
func (all *findings) evidence(order []*evidence, old, now *project.CRD, results []compat.Finding) []*evidence {
	for _, r := range results {
		for _, p := range problemsOf(r) {
			v := now.Version(r.Version)
			if v == nil {
				v = now.Version(storageOf(now))
			}
			if v == nil || r.Kind == compat.Gone {
				continue
			}
			steps := schemaPath(schemaOf(old.Version(r.Version)), schemaOf(v), p.Field)
			e := &evidence{kind: r.Kind, version: v.Name, path: steps, problem: p}
			e.cause = all.cause(now, e)
			if i := slices.IndexFunc(order, e.same); i >= 0 {
				e = order[i]
			} else {
				order = append(order, e)
			}
			e.add(r, p.Writes)
		}
	}
	return order
}

// evidence is what the API server says of one field in some objects.
type evidence struct {
	kind    compat.Kind
	version string
	path    []string
	groups  []group
	last    string // the name of the last: what is wrong with one object comes in a row
	n       int    // how many there are
	problem compat.Problem
	cause   int // the index of the finding that has the same cause; see below for what is none
}

// group are objects of which the same writes are refused.
type group struct {
	writes string
	names  []string // the first
	n      int
}

const (
	noCause = -1 // it is a finding of its own
	known   = -2 // it needs none
)

// same reports whether evidence is of one finding with other evidence.
func (e *evidence) same(o *evidence) bool {
	if e.cause != noCause || o.cause != noCause {
		return e.cause == o.cause
	}
	return e.kind == o.kind && e.version == o.version && slices.Equal(e.path, o.path) && e.message() == o.message()
}

// message is what is wrong, without the field.
func (e *evidence) message() string {
	return strings.TrimLeft(strings.TrimPrefix(e.problem.Text, e.problem.Field), ": ")
}

// add counts an object, of which some writes are refused for what is wrong.
func (e *evidence) add(r compat.Finding, writes []compat.Write) {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	if e.n > 0 && e.last == name {
		return
	}
	e.n, e.last = e.n+1, name
	refused := compat.Refused(writes)
	i := slices.IndexFunc(e.groups, func(g group) bool { return g.writes == refused })
	if i < 0 {
		i, e.groups = len(e.groups), append(e.groups, group{writes: refused})
	}
	g := &e.groups[i]
	g.n++
	if len(g.names) < shown {
		g.names = append(g.names, name)
	}
}

// cause is the finding that has the cause of the evidence, if there is one: of several about a field, the one whose rule the objects break.
func (all *findings) cause(now *project.CRD, e *evidence) int {
	at, found := project.Dotted(e.path), noCause
	if e.problem.Type == field.ErrorTypeDuplicate {
		at = strings.TrimSuffix(at, "[]") // the list is to blame, not its item
	}
	for i, f := range all.list {
		isRule := strings.HasPrefix(f.Rule.ID, "cel-")
		switch {
		case f.version != e.version || f.crd != now.Name || f.wider || !tightening[f.Rule.ID]:
		case e.kind == compat.Dropped && f.Rule.ID == "type-changed" && within(at, f.field):
			return known // what has another type loses what it had
		case (f.Rule.ID == "field-dropped" || f.Rule.ID == "additional-closed") != (e.kind == compat.Dropped) || isRule != e.problem.Rule:
		case isRule && f.rule != "" && within(at, f.field) && strings.Contains(e.problem.Text, f.rule):
			return i
		case isRule && f.rule != "":
		case f.field == at && f.Rule.ID == likely(e.problem):
			return i
		case found == noCause && (f.field == at || e.kind == compat.Dropped && within(at, f.field)):
			found = i
		}
	}
	return found
}

// likely is the rule that finds what most likely is the cause of a problem; empty if that is not known.
func likely(p compat.Problem) string {
	switch {
	case p.Type == field.ErrorTypeNotSupported:
		return "enum-removed"
	case p.Type == field.ErrorTypeRequired:
		return "required-added"
	case p.Type == field.ErrorTypeDuplicate:
		return "list-type-changed"
	case strings.Contains(p.Text, " validate "):
		return "one-of-changed"
	case strings.Contains(p.Text, "should match"):
		return "pattern-changed"
	case strings.Contains(p.Text, "should be"), strings.Contains(p.Text, "should have"), strings.Contains(p.Text, "within the range"):
		return "bound-tightened"
	}
	return ""
}

// proves adds the evidence to the finding that has its cause, if there is one.
func (all *findings) proves(old, now *project.CRD, e *evidence, tried int) {
	effect := "lose it"
	var objects []string
	for _, g := range e.groups {
		names := text.AndMore(strings.Join(g.names, ", "), g.n-len(g.names))
		if e.kind == compat.Invalid {
			effect, names = "are invalid", fmt.Sprintf("%s (%s)", names, g.writes)
		}
		objects = append(objects, names)
	}
	proof := fmt.Sprintf("; objects at hand that %s: %d of %d: %s", effect, e.n, tried, strings.Join(objects, ", "))
	switch {
	case e.cause == known:
		return
	case e.cause >= 0:
		f := &all.list[e.cause]
		f.Message, f.proof = f.Message+proof, proof
		v := &version{was: old.Version(e.version), is: now.Version(e.version)}
		f.Severity = max(f.Severity, severity(v.was, v.tightened(e.path))) // the values decide, and they did
		return
	}
	was, is := old.Version(e.version), now.Version(e.version)
	if was == nil {
		was = is
	}
	v := &version{all: all, old: old, now: now, was: was, is: is, inGo: now.HasTypes(e.version)}
	if e.kind == compat.Dropped {
		v.at("field-dropped", breaks, e.path, nil, "values are dropped%s", proof)
		return
	}
	v.at("stored-invalid", breaks, e.path, nil, "%s%s", e.message(), proof)
}

// within reports whether a field is another one, or below it.
func within(field, of string) bool {
	rest, ok := strings.CutPrefix(field, of)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], ".[{"))
}

// tightening are the rules whose findings objects can prove.
var tightening = map[string]bool{
	"field-dropped": true, "additional-closed": true, "required-added": true, "type-changed": true, "format-changed": true, "bound-tightened": true, "enum-removed": true,
	"pattern-changed": true, "nullable-removed": true, "one-of-changed": true, "cel-added": true, "cel-changed": true, "list-type-changed": true, "map-keys-changed": true,
	"default-removed": true,
}

// problemsOf is what a finding is about, a field each.
func problemsOf(f compat.Finding) (all []compat.Problem) {
	if f.Kind == compat.Invalid {
		return f.Problems
	}
	for _, path := range f.Fields {
		all = append(all, compat.Problem{Field: path})
	}
	return all
}
