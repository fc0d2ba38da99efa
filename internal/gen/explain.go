// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/explain"
)

// settled is an error in which the sources have no part.
type settled struct{ error }

// Unwrap is for those who look for what is wrapped.
func (s settled) Unwrap() error { return s.error }

// place is a file with a line, as errors name them.
var place = regexp.MustCompile(`[^\s:]+\.go:\d+`)

// explainAll is one error of all generators that failed, in their order. What was wrong with the packages that one loaded is not
// said again in the words of another.
func (g *generation) explainAll(ctx context.Context, errs ...error) error {
	var all []error
	var said string
	if err := explain.Endless(g.root, g.graph, errors.Join(errs...)); err != nil {
		return err
	}
	for _, err := range explain.Each(errors.Join(errs...)) {
		explained := g.explain(ctx, err)
		places := place.FindAllString(explained.Error(), -1)
		unknown := func(at string) bool { return !strings.Contains(said, at) }
		follows := len(places) > 0 && !slices.ContainsFunc(places, unknown)
		if said != "" && (strings.Contains(said, explained.Error()+"\n") || follows || len(places) == 0 && settledIn(errs)) {
			continue
		}
		said += explained.Error() + "\n"
		all = append(all, explained)
	}
	return errors.Join(all...)
}

// settledIn reports whether one of the errors is about packages that do not load: what others have to say follows from it.
func settledIn(errs []error) bool {
	return slices.ContainsFunc(errs, func(err error) bool { s := (settled{}); return errors.As(err, &s) })
}

// explain finds the reason for a generator's failure in the sources, and returns it with its place: upstream's generators
// work on what is left of types that use names which do not exist. Where the sources show nothing, the error stays.
func (g *generation) explain(ctx context.Context, err error) error {
	if s := (settled{}); errors.As(err, &s) {
		return s.error
	}
	if g.graph == nil {
		if _, loadErr := g.load(ctx, g.plan.Load); loadErr != nil {
			return cmp.Or(context.Cause(ctx), loadErr)
		}
	}
	if wrong := explain.TypeErrors(g.root, g.graph); wrong != nil {
		return wrong
	}
	if why := g.reason(err); why != nil {
		return why
	}
	if inRoot := g.root + string(filepath.Separator); strings.Contains(err.Error(), inRoot) {
		return errors.New(strings.ReplaceAll(err.Error(), inRoot, "")) // init and create generate in a copy
	}
	return err
}

// reason is the reason for a generator's failure that the settings, the tree or the loaded packages show; nil if they do not.
func (g *generation) reason(err error) error {
	return explain.Context{Root: g.root, Sources: g.scan.Sources, Graph: g.graph, Load: g.plan.Load, Copied: g.plan.Inputs("deepcopy-gen")}.Reason(err)
}
