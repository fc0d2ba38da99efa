// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// problem is what the API server says of an object. Two that have one key are the same to its owner.
type problem struct {
	*field.Error
	key string
}

type problems []problem

// without leaves out what is known already.
func (all problems) without(known problems) problems {
	return slices.DeleteFunc(all, func(p problem) bool {
		return slices.ContainsFunc(known, func(k problem) bool { return k.key == p.key })
	})
}

// block reports whether the API server would not run CEL rules on such an object, since they could not make sense of it.
func (all problems) block() bool {
	return slices.ContainsFunc(all, func(p problem) bool {
		switch p.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
		return false
	})
}

func (all problems) fields() []string {
	return all.list(func(p problem) string { return p.Field })
}

func (all problems) messages() []string {
	return all.list(func(p problem) string { return p.Error.Error() })
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
