// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/crdctl/crdctl/internal/crd/sample"
	"github.com/crdctl/crdctl/internal/crd/write"
)

// witness is an object that was valid, and what the change does to it.
type witness struct {
	object map[string]any
	what   string // as the API server's code says
	field  string // that breaks; empty where it only has another default
}

// tryObjects makes objects that are valid under the older side, with values that the change could break, and has the API server's code write
// them under the newer one.
func (c *change) tryObjects(ctx context.Context) error {
	tried, err := compat.NewChange(c.old, c.now)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	add := func(object map[string]any, field, what string) {
		if key := normal(field) + strings.SplitAfter(what, ": ")[0]; !seen[key] {
			seen[key] = true
			c.objects = append(c.objects, witness{object, what, normal(field)})
		}
	}
	for i := range c.old.Spec.Versions {
		was := &c.old.Spec.Versions[i]
		is := slices.IndexFunc(c.now.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == was.Name })
		if !was.Served || is < 0 {
			continue
		}
		v, err := newVersions(c, was, &c.now.Spec.Versions[is])
		if err != nil {
			add(nil, "", err.Error())
			continue
		}
		objects := v.objects(ctx, c)
		stored := make([]unstructured.Unstructured, len(objects))
		for i, object := range objects {
			stored[i].Object = runtime.DeepCopyJSON(object)
			stored[i].SetName(fmt.Sprintf("example-%d", i))
			if what := v.readsDifferently(object); what != "" {
				add(object, "", was.Name+": "+what)
			}
		}
		found, err := tried.Check(ctx, stored)
		if err != nil {
			return err
		}
		for _, f := range found {
			i := slices.IndexFunc(stored, func(u unstructured.Unstructured) bool { return u.GetName() == f.Name })
			switch {
			case i < 0:
			case f.Kind == compat.Dropped:
				for _, field := range f.Fields {
					add(objects[i], field, fmt.Sprintf("%s: dropped: %s", was.Name, field))
				}
			case f.Kind == compat.Invalid:
				for _, p := range f.Problems {
					add(objects[i], p.Field, fmt.Sprintf("%s: refused: %s (%s)", was.Name, generic(p.Text), compat.Refused(f.Writes)))
				}
			}
		}
		for _, what := range v.transitions(ctx, objects) {
			add(nil, what[strings.LastIndex(what, " at ")+1:], was.Name+": "+what)
		}
	}
	return nil
}

// generic is a message without values that only this object has.
func generic(message string) string {
	if len(message) > 200 {
		message = message[:200] + "…"
	}
	return strings.Join(strings.Fields(message), " ")
}

// versions are both sides of a version.
type versions struct {
	name        string
	was, is     *apiextv1.JSONSchemaProps
	before, now *write.Version
}

func newVersions(c *change, was, is *apiextv1.CustomResourceDefinitionVersion) (*versions, error) {
	v := &versions{name: was.Name, was: schemaOf(was), is: schemaOf(is)}
	var err error
	if v.before, err = write.Compile(c.old, was); err != nil {
		return nil, err
	}
	v.now, err = write.Compile(c.now, is)
	return v, err
}

func schemaOf(v *apiextv1.CustomResourceDefinitionVersion) *apiextv1.JSONSchemaProps {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return &apiextv1.JSONSchemaProps{Type: "object"}
	}
	return v.Schema.OpenAPIV3Schema
}

// objects are valid under the older side: what users write, the least and the most that the schema takes, and each with one value at one of the
// places that changed.
func (v *versions) objects(ctx context.Context, c *change) (all []map[string]any) {
	add := func(object map[string]any) {
		head := map[string]any{"apiVersion": c.old.Spec.Group + "/" + v.name, "kind": c.old.Spec.Names.Kind}
		maps.Copy(object, head)
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			metadata = map[string]any{}
		}
		metadata["name"] = "example"
		delete(metadata, "namespace")
		if c.old.Spec.Scope == apiextv1.NamespaceScoped {
			metadata["namespace"] = "default"
		}
		object["metadata"] = metadata
		read := runtime.DeepCopyJSON(object)
		if _, err := v.before.Decode(read); err != nil {
			return
		}
		if values, rules := v.before.Create(ctx, read); len(values)+len(rules) == 0 {
			all = append(all, object)
		}
	}
	for _, all := range []bool{false, true} {
		if object, ok := plain(sample.Of(v.was, all)).(map[string]any); ok {
			add(object)
		}
	}
	for _, text := range c.samples {
		var object map[string]any
		if yaml.Unmarshal(text, &object) == nil && object["apiVersion"] == c.old.Spec.Group+"/"+v.name && object["kind"] == c.old.Spec.Names.Kind {
			add(plain(object).(map[string]any))
		}
	}
	for _, base := range slices.Clone(all[:min(len(all), 6)]) {
		for _, at := range differences(nil, v.was, v.is) {
			for _, value := range at.values() {
				object := runtime.DeepCopyJSON(base)
				if put(object, v.was, at.path, value) {
					add(object)
				}
			}
		}
	}
	return all
}

// plain is a value as it comes out of JSON.
func plain(value any) any {
	data, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var u unstructured.Unstructured
	if u.UnmarshalJSON([]byte(`{"kind":"x","apiVersion":"v1","value":`+string(data)+`}`)) != nil {
		return nil
	}
	return u.Object["value"]
}

// readsDifferently reports where the older and the newer side hand out an object with different values: a default changed.
func (v *versions) readsDifferently(object map[string]any) string {
	before, now := runtime.DeepCopyJSON(object), runtime.DeepCopyJSON(object)
	lost, err := v.before.Decode(before)
	more, problem := v.now.Decode(now)
	if err != nil || problem != nil || len(lost)+len(more) > 0 || reflect.DeepEqual(before, now) {
		return ""
	}
	return "reads differently at " + firstDifference("", before, now)
}

func firstDifference(at string, a, b any) string {
	x, ok := a.(map[string]any)
	y, also := b.(map[string]any)
	if !ok || !also {
		return strings.TrimPrefix(at, ".")
	}
	keys := slices.Sorted(maps.Keys(x))
	for _, key := range slices.Sorted(maps.Keys(y)) {
		if _, ok := x[key]; !ok {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if !reflect.DeepEqual(x[key], y[key]) {
			return firstDifference(at+"."+key, x[key], y[key])
		}
	}
	return at
}

// transitions are updates from one valid object to another that only the newer side refuses.
func (v *versions) transitions(ctx context.Context, objects []map[string]any) (found []string) {
	if len(newRules(v.was, v.is)) == 0 {
		return nil
	}
	objects = objects[:min(len(objects), 20)]
	for _, from := range objects {
		for _, to := range objects {
			old, object := runtime.DeepCopyJSON(from), runtime.DeepCopyJSON(to)
			old["metadata"].(map[string]any)["resourceVersion"] = "1"
			object["metadata"] = runtime.DeepCopyJSONValue(old["metadata"])
			refused := func(side *write.Version) string {
				was, is := runtime.DeepCopyJSON(old), runtime.DeepCopyJSON(object)
				if _, err := side.Decode(was); err != nil {
					return ""
				}
				if _, err := side.Decode(is); err != nil {
					return ""
				}
				if values, rules := side.Create(ctx, runtime.DeepCopyJSON(is)); len(values)+len(rules) > 0 && side == v.now {
					return "" // it is refused in either case
				}
				if _, rules := side.Update(ctx, is, was); len(rules) > 0 {
					return write.Text(rules[0])
				}
				return ""
			}
			if said := refused(v.now); said != "" && refused(v.before) == "" && !slices.Contains(found, "update refused: "+generic(said)) {
				found = append(found, "update refused: "+generic(said))
			}
		}
	}
	return found
}

// newRules are the rules about transitions that only the newer side has.
func newRules(was, is *apiextv1.JSONSchemaProps) (found []string) {
	known := rulesOf(was)
	for _, rule := range rulesOf(is) {
		if strings.Contains(rule, "oldSelf") && !slices.Contains(known, rule) {
			found = append(found, rule)
		}
	}
	return found
}

func rulesOf(s *apiextv1.JSONSchemaProps) (all []string) {
	for _, rule := range s.XValidations {
		all = append(all, rule.Rule)
	}
	crd.EachBelow(s, func(below *apiextv1.JSONSchemaProps) { all = append(all, rulesOf(below)...) })
	return all
}
