// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// Objects are objects as they are stored, or would be.
type Objects []unstructured.Unstructured

// ReadObjects reads the objects of a manifest, YAML or JSON, and those in lists.
func ReadObjects(file string, data []byte) (all Objects, err error) {
	docs, err := yamldoc.Split(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, doc := range docs {
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

// readObjects reads the objects of files of a base. A file that does not parse is a template, unless all files are meant to be objects.
func readObjects(b *revision.Base, strict bool, is func(file string) bool) (all Objects, err error) {
	for _, file := range b.Files(".") {
		if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)) || !is(file) {
			continue
		}
		data, err := b.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := ReadObjects(file, data)
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

// stored has the API server's code write objects under the changed CRD, and adds what it says to the findings.
func (all *findings) stored(ctx context.Context, old, now *project.CRD, objects Objects) error {
	if len(objects) == 0 {
		return nil
	}
	before, after := old.DeepCopy(), now.DeepCopy()
	if now.Converted() {
		webhook := &apiextv1.CustomResourceConversion{Strategy: apiextv1.WebhookConverter}
		before.Spec.Conversion, after.Spec.Conversion = webhook, webhook
	}
	results, err := compat.Stored(ctx, before, after, objects)
	if err != nil {
		return fmt.Errorf("write the objects of %s: %w", old.Name, err)
	}
	var order []string
	seen := map[string]*evidence{}
	for _, r := range results {
		for i, field := range fieldsOf(r) {
			v := now.Version(r.Version)
			if v == nil {
				v = now.Version(storageOf(now))
			}
			if v == nil || r.Kind == compat.Gone {
				continue
			}
			steps := schemaPath(schemaOf(old.Version(r.Version)), schemaOf(v), field)
			key := string(r.Kind) + v.Name + project.Dotted(steps)
			if seen[key] == nil {
				seen[key] = &evidence{kind: r.Kind, version: v.Name, path: steps, writes: r.Refused(), message: strings.TrimPrefix(messageOf(r, i), field+": ")}
				order = append(order, key)
			}
			seen[key].add(r)
		}
	}
	for _, key := range order {
		all.proves(old, now, seen[key], len(objects))
	}
	return nil
}

// evidence is what the API server says of one field in some objects.
type evidence struct {
	kind            compat.Kind
	version         string
	path            []string
	objects         []string
	writes, message string
}

func (e *evidence) add(r compat.Finding) {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	if !slices.Contains(e.objects, name) {
		e.objects = append(e.objects, name)
	}
}

// proves adds the evidence to the finding that has its cause, if there is one.
func (all *findings) proves(old, now *project.CRD, e *evidence, of int) {
	field := project.Dotted(e.path)
	proof := fmt.Sprintf("; %d of %d objects at hand lose it: %s", len(e.objects), of, few(e.objects))
	if e.kind == compat.Invalid {
		proof = fmt.Sprintf("; of %d objects at hand, %d are invalid: %s (%s)", of, len(e.objects), few(e.objects), e.writes)
	}
	for i := range all.list {
		known := &all.list[i]
		switch {
		case known.version != e.version || known.crd != now.Name || !tightening[known.Rule.ID]:
		case e.kind == compat.Dropped && known.Rule.ID == "type-changed" && within(field, known.field):
			return // what has another type loses what it had
		case (known.Rule.ID == "field-dropped" || known.Rule.ID == "additional-closed") != (e.kind == compat.Dropped):
		case known.field == field || e.kind == compat.Dropped && within(field, known.field):
			known.Message += proof
			known.proof = proof
			return
		}
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
	v.at("stored-invalid", breaks, e.path, nil, "%s%s", e.message, proof)
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

// fieldsOf are the fields that a finding is about; for one that is invalid, one for each message.
func fieldsOf(f compat.Finding) (fields []string) {
	if f.Kind != compat.Invalid {
		return f.Fields
	}
	for _, m := range f.Messages {
		field, _, _ := strings.Cut(m, ": ")
		fields = append(fields, field)
	}
	return fields
}

func messageOf(f compat.Finding, i int) string {
	if f.Kind != compat.Invalid {
		return ""
	}
	return strings.ReplaceAll(f.Messages[i], "\n", " ")
}
