// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	isPrefix   = lazyregexp.New(`^is[A-Z]`)
	spanOfTime = lazyregexp.New(`(?i)(timeout|period|interval|deadline|delay|duration|ttl)$`)
	acronym    = lazyregexp.New(`^[a-z][A-Z]{2}`)
)

func boolPrefix(_ *world, f field, report reporter) {
	if isPrefix.MatchString(f.json) && isBasic(f.t, types.IsBoolean) {
		report("bool-prefix", f.decl.name, "field %s begins with is", f.name())
	}
}

func durationName(_ *world, f field, report reporter) {
	if isBasic(f.t, types.IsInteger) && spanOfTime.MatchString(f.json) {
		report("duration-name", f.decl.name, "field %s is a number, and its name %s lacks the unit", f.name(), f.json)
	}
}

func acronymCase(_ *world, f field, report reporter) {
	if acronym.MatchString(f.json) {
		report("acronym-case", f.decl.name, "field %s is called %s, where only the first letter of an acronym is in lower case", f.name(), f.json)
	}
}

// references are the types that refer to another object.
var references = map[string]bool{
	"k8s.io/api/core/v1.LocalObjectReference": true, "k8s.io/api/core/v1.ObjectReference": true, "k8s.io/api/core/v1.SecretReference": true,
	"k8s.io/api/core/v1.TypedLocalObjectReference": true, "k8s.io/api/core/v1.TypedObjectReference": true,
}

func nameRef(_ *world, f field, report reporter) {
	if f.owner.role&other == 0 {
		return
	}
	isRef := strings.HasSuffix(f.json, "Ref") || strings.HasSuffix(f.json, "Reference")
	switch of := types.TypeString(types.Unalias(f.t), nil); {
	case isRef && isBasic(f.t, types.IsString):
		report("name-ref", f.decl.name, "field %s is called %s and is a string, not an object", f.name(), f.json)
	case references[of] && !isRef && !strings.Contains(strings.ToLower(f.json), "ref"):
		report("name-ref", f.decl.name, "field %s refers to an object, and is called %s", f.name(), f.json)
	}
}

func topLevel(_ *world, f field, report reporter) {
	of := f.owner.role&root != 0 && isObject(f.p.TypesInfo.Defs[f.spec.Name].Type())
	switch f.json {
	case "metadata", "spec", "status", "items":
	default:
		s, isStruct := f.owner.spec.Type.(*ast.StructType)
		if of && f.depth == 0 && isStruct && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return len(f.Names) > 0 && f.Names[0].Name == "Spec" }) {
			report("top-level-fields", f.decl.name, "the kind %s has the field %s next to spec and status", f.decl.owner, f.json)
		}
	}
}

func kindSuffix(_ *world, t typ, report reporter) {
	o := t.p.TypesInfo.Defs[t.spec.Name]
	s, ok := o.Type().Underlying().(*types.Struct)
	if !ok || !isObject(o.Type()) {
		return
	}
	has := map[string]bool{}
	for f := range s.Fields() {
		has[f.Name()] = true
	}
	switch {
	case has["ListMeta"] && !has["Items"]:
		report("kind-suffix", t.name, "the list %s has no items", t.owner)
	case has["ObjectMeta"] && strings.HasSuffix(t.owner, "Controller"):
		report("kind-suffix", t.name, "the kind %s is named after its controller", t.owner)
	}
}
