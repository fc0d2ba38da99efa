// SPDX-License-Identifier: Apache-2.0

// Package compat tells what a change of a CustomResourceDefinition would do to the objects that are stored: which of
// them would be invalid, and which fields would be dropped.
//
// It has the API server's own code judge, and no client: the CRDs and the objects are handed in. It does not tell what
// a conversion webhook would make of an object, and nothing of clients that use a version that is no longer served.
package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Check compares what the API server makes of the objects under two states of a CRD, and returns, in a stable order,
// what would be worse under the changed one. What is wrong under the current one already is left out: the API server
// lets such an object be, too.
//
// The objects are those of the current CRD, each at a version of it. The best is the storage version, where that is
// served: at others, the API server may have left out fields already, which then cannot be said to be dropped. They are not changed.
//
// Where current is nil the CRD is new, and nothing can be stored. A changed CRD that the API server would refuse is an error in its words.
func Check(ctx context.Context, current, changed *apiextv1.CustomResourceDefinition, objects []unstructured.Unstructured) ([]Finding, error) {
	return CheckStored(ctx, current, changed, slice(objects))
}

// Stored hands out the objects of a CRD one after the other, and keeps none. It ends with the error of each.
type Stored func(each func(*unstructured.Unstructured) error) error

// slice are objects that are in memory.
func slice(objects []unstructured.Unstructured) Stored {
	return func(each func(*unstructured.Unstructured) error) error {
		for i := range objects {
			if err := each(&objects[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// CheckStored is Check for objects that are read while they are tried: there may be more than fit into memory.
func CheckStored(ctx context.Context, current, changed *apiextv1.CustomResourceDefinition, stored Stored) ([]Finding, error) {
	if changed == nil {
		return nil, errors.New("no changed CRD to check; deleting a CRD deletes all of its objects")
	}
	if err := refused(ctx, current, changed); err != nil || current == nil {
		return nil, err
	}
	c, err := NewChange(current, changed)
	if err != nil {
		return nil, err
	}
	return c.try(ctx, stored)
}

// CurrentError is the error of a current CRD that the API server's code cannot read objects with: its schema may not be structural.
type CurrentError struct {
	Name string
	Err  error
}

func (e *CurrentError) Error() string { return fmt.Sprintf("the current CRD %s: %s", e.Name, e.Err) }

func (e *CurrentError) Unwrap() error { return e.Err }

// Change is a change of a CRD, compiled once for all objects that are tried under it.
type Change struct {
	current       *apiextv1.CustomResourceDefinition
	before, after *resource
}

// NewChange compiles two states of a CRD. The change may be one that the API server would refuse.
func NewChange(current, changed *apiextv1.CustomResourceDefinition) (*Change, error) {
	before, err := compile(current)
	if err != nil {
		return nil, &CurrentError{current.Name, err}
	}
	after, err := compile(changed)
	if err != nil {
		return nil, fmt.Errorf("the changed CRD %s: %w", changed.Name, err)
	}
	return &Change{current, before, after}, nil
}

// Check is the function Check for some of the objects.
func (c *Change) Check(ctx context.Context, objects []unstructured.Unstructured) ([]Finding, error) {
	return c.try(ctx, slice(objects))
}

func (c *Change) try(ctx context.Context, stored Stored) ([]Finding, error) {
	var findings []Finding
	gone := newGone(c.current, c.after)
	err := stored(func(object *unstructured.Unstructured) error {
		if err := c.before.owns(object); err != nil {
			return err
		}
		found, err := compare(ctx, c.before, c.after, object)
		if err == nil {
			err = context.Cause(ctx) // CEL that was interrupted looks like an object that is invalid
		}
		if err != nil {
			return fmt.Errorf("check %s: %w", name(object.GetNamespace(), object.GetName()), err)
		}
		gone.add(object)
		findings = append(findings, found...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	findings = append(gone.findings(c.current), findings...)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Version, b.Version))
	})
	return findings, nil
}
