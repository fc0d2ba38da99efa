// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/types"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	volatile   = lazyregexp.New(`(?i)heartbeat|^last(reconcil|sync|check|poll|seen|prob|refresh|observ|scrap)[a-z]*(time|timestamp|at)?$`)
	pascalCase = lazyregexp.New(`^([a-z0-9.-]+/)?[A-Z][a-zA-Z0-9]*$`)
)

func statusVolatile(_ *world, f field, report reporter) {
	if f.owner.role&(status|other) == status && volatile.MatchString(f.json) && types.TypeString(f.t, nil) == "k8s.io/apimachinery/pkg/apis/meta/v1.Time" {
		report("status-volatile", f.decl.name, "field %s seems to change with each run of the controller", f.name())
	}
}

// observedGeneration looks for a kind whose status cannot say which spec it is about.
func observedGeneration(_ *world, t typ, report reporter) {
	o := t.p.TypesInfo.Defs[t.spec.Name]
	s, ok := o.Type().Underlying().(*types.Struct)
	if !ok || !isObject(o.Type()) {
		return
	}
	var spec, state types.Type
	for f := range s.Fields() {
		switch f.Name() {
		case "Spec":
			spec = f.Type()
		case "Status":
			state = f.Type()
		}
	}
	if spec == nil || state == nil {
		return
	}
	if ptr, ok := state.Underlying().(*types.Pointer); ok {
		state = ptr.Elem()
	}
	if fields, ok := state.Underlying().(*types.Struct); ok && fields.NumFields() > 0 && !observes(fields, 0) {
		report("observed-generation", t.name, "the status of %s does not carry the generation of the spec that it is about", t.owner)
	}
}

func observes(s *types.Struct, depth int) bool {
	for f := range s.Fields() {
		if f.Name() == "ObservedGeneration" || isWrong(f.Type(), nil) {
			return true // or it is not known
		}
		if list, ok := f.Type().Underlying().(*types.Slice); ok && f.Name() == "Conditions" {
			if item, ok := list.Elem().Underlying().(*types.Struct); ok && observes(item, depth+1) {
				return true
			}
		}
		if inner, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() && depth < 10 && observes(inner, depth+1) {
			return true
		}
	}
	return false
}

// conditionType judges constants that are types of conditions by their names.
func conditionType(c constantOf, report reporter) {
	of := ""
	if named, ok := types.Unalias(c.of).(*types.Named); ok {
		of = named.Obj().Name()
	}
	is := strings.HasSuffix(of, "ConditionType") || strings.HasPrefix(c.name, "ConditionType") || strings.HasSuffix(c.name, "ConditionType") || strings.HasSuffix(c.name, "Condition")
	if is && c.value != "" && !pascalCase.MatchString(c.value) {
		report("condition-type-name", c.pos, "the type of condition %q is not in PascalCase", c.value)
	}
}
