// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"

	"github.com/crdctl/crdctl/internal/logging"
)

// EndlessError is a type that refers to itself in a way that a generator follows forever, until the stack overflows. That ends
// the process, and cannot be recovered from: such types have to be found before the generator gets them.
type EndlessError struct {
	// Package and Name are those of the type.
	Package, Name string
	// Path are the names of the types on the way from the type back to itself, both ends included.
	Path []string
}

func (e *EndlessError) Error() string {
	return fmt.Sprintf("%s.%s refers to itself (%s)", e.Package, e.Name, strings.Join(e.Path, ", "))
}

// Endless looks for types on which one of the generators would never end, for generators that run elsewhere. It
// returns one *EndlessError for each generator; whatever else is wrong is for the generators to report.
func (p *Packages) Endless(gens []Generator) (errs []error) {
	logged, release := logging.Capture()
	defer release()
	for _, g := range gens {
		_, err := logged.Guard(func() error {
			switch {
			case g.Name == "validation-gen":
				return p.source.endlessValidation(g.Inputs)
			case endless[g.Name] != nil:
				return p.run(g, Header{}, nil, &Ran{})
			}
			return nil
		})
		if e, ok := errors.AsType[*EndlessError](err); ok {
			errs = append(errs, fmt.Errorf("%s: %w", g.Name, e))
		}
	}
	return errs
}

// ending is a generator that panics with an *EndlessError instead of following a type forever: gengo and the generators
// replace errors by their texts.
type ending struct {
	generator.Generator
	find func(*types.Type) []*types.Type
	only bool // look, and generate nothing
}

// GenerateType implements generator.Generator.
func (g ending) GenerateType(c *generator.Context, t *types.Type, w io.Writer) error {
	if err := endlessError(g.find(t)); err != nil {
		panic(err)
	}
	if g.only {
		return nil
	}
	return g.Generator.GenerateType(c, t, w)
}

// endlessError is the error of a path from a type back to itself; nil for no path. It is about the named type whose name
// comes first, wherever the path was entered.
func endlessError(path []*types.Type) *EndlessError {
	var named []*types.Type
	for _, t := range path {
		if t.Name.Package != "" {
			named = append(named, t)
		}
	}
	if len(named) == 0 {
		return nil
	}
	first := slices.MinFunc(named, func(a, b *types.Type) int { return strings.Compare(a.Name.String(), b.Name.String()) })
	at := slices.Index(named, first)
	e := &EndlessError{Package: first.Name.Package}
	for _, t := range slices.Concat(named[at:], named[:at], named[at:at+1]) {
		name, _, _ := strings.Cut(t.Name.Name, "[") // the parameters of a generic type
		e.Path = append(e.Path, name)
	}
	e.Name = e.Path[0]
	return e
}

// circle walks from a type to those that next names, and returns the types on the way from one back to itself; nil if the walk
// ends.
func circle(t *types.Type, next func(*types.Type) []*types.Type, before ...*types.Type) []*types.Type {
	if at := slices.Index(before, t); at >= 0 {
		return before[at:]
	}
	for _, to := range next(t) {
		if found := circle(to, next, append(slices.Clone(before), t)...); found != nil {
			return found
		}
	}
	return nil
}
