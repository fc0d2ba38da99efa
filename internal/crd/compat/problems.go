// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/crd/write"
)

// problem is what the API server says of an object. Two that have one key are the same to its owner.
type problem struct {
	*field.Error
	key  string
	rule bool // of CEL
}

type problems []problem

// valuesOf are problems with values. What else is wrong with a field that is invalid already does not matter.
func valuesOf(errs field.ErrorList) (all problems) {
	for _, e := range errs {
		all = append(all, problem{e, e.Field + " " + string(e.Type), false})
	}
	return all
}

// rulesOf are rules of CEL that are broken. One field has many, which only their words tell apart.
func rulesOf(errs field.ErrorList) (all problems) {
	for _, e := range errs {
		all = append(all, problem{e, e.Field + " " + e.Detail, true})
	}
	return all
}

// without leaves out what is known already.
func (all problems) without(known problems) problems {
	return slices.DeleteFunc(all, func(p problem) bool {
		return slices.ContainsFunc(known, func(k problem) bool { return k.key == p.key })
	})
}

// block reports whether the API server would not run CEL rules on such an object, since they could not make sense of it.
func (all problems) block() bool {
	var errs field.ErrorList
	for _, p := range all {
		errs = append(errs, p.Error)
	}
	return write.Blocks(errs)
}

func (all problems) fields() []string {
	return all.list(func(p problem) string { return p.Field })
}

func (all problems) messages() []string {
	return all.list(func(p problem) string { return p.Error.Error() })
}

// public are the problems as others see them, in a stable order, each with the writes that are refused for it.
func (all problems) public(refused map[Write]problems) (list []Problem) {
	for _, p := range all {
		one := Problem{Field: p.Field, Text: write.Text(p.Error), Type: p.Type, Rule: p.rule}
		for _, w := range Writes {
			if slices.ContainsFunc(refused[w], func(r problem) bool { return r.key == p.key }) {
				one.Writes = append(one.Writes, w)
			}
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text)) })
	return slices.CompactFunc(list, func(a, b Problem) bool { return a.Field == b.Field && a.Text == b.Text })
}

// list is sorted: some of the API server's validators walk over maps.
func (all problems) list(of func(problem) string) []string {
	var list []string
	for _, p := range all {
		list = append(list, of(p))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
