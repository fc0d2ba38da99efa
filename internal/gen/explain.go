package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// noRule is what each generator says of a rule that there is not.
var noRule = regexp.MustCompile(`unrecognized rule in --lint-rules: (\S+)`)

// settled is an error in which the sources have no part.
type settled struct{ error }

// Unwrap is for those who look for what is wrapped.
func (s settled) Unwrap() error { return s.error }

// aboutCopies are the words that come of types which deepcopy-gen can't copy: its own, or those of a formatter that was
// handed DeepCopyinterface{…}() by it, or by who trusts in the copies.
var aboutCopies = regexp.MustCompile(`deepcopy-gen|made code that is not Go`)

// place is a file with a line, as errors name them.
var place = regexp.MustCompile(`[^\s:]+\.go:\d+`)

// explainAll is one error of all generators that failed, in their order. What was wrong with the packages that one loaded is not
// said again in the words of another.
func (g *generation) explainAll(ctx context.Context, errs ...error) error {
	var all []error
	var said string
	if err := g.endless(errors.Join(errs...)); err != nil {
		return err
	}
	for _, err := range each(errors.Join(errs...)) {
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

// each are the errors that were joined, however deep.
func each(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error }) // not errors.As: what is wrapped with words of its own stays whole
	if !ok {
		if err != nil {
			all = append(all, err)
		}
		return all
	}
	for _, one := range joined.Unwrap() {
		all = append(all, each(one)...)
	}
	return all
}

// settledIn reports whether one of the errors is about packages that do not load: what others have to say follows from it.
func settledIn(errs []error) bool {
	return slices.ContainsFunc(errs, func(err error) bool { s := (settled{}); return errors.As(err, &s) })
}

// explain finds the reason for a generator's failure in the sources, and returns it with its place: upstream's generators
// work on what is left of types that use names which do not exist, and fail with riddles. Where the sources tell
// nothing, the words stay.
func (g *generation) explain(ctx context.Context, err error) error {
	if s := (settled{}); errors.As(err, &s) {
		return s.error
	}
	if g.graph == nil {
		if _, loadErr := g.load(ctx, g.plan.Load); loadErr != nil {
			return cmp.Or(context.Cause(ctx), loadErr)
		}
	}
	if wrong := typeErrors(g.root, g.graph); wrong != nil {
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
	if m := noRule.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("lintRules: %q is no rule; there are known-tags-only and require-explicit-disablement", m[1])
	}
	if file := blocked(g.root, err); file != nil {
		return file
	}
	if endless := g.endless(err); endless != nil {
		return endless
	}
	if wrong := misnamed(g.root, g.scan.Sources, err.Error()); wrong != nil {
		return wrong
	}
	if wrong := validated(g.root, g.graph, err.Error()); wrong != nil {
		return wrong
	}
	if wrong := nonASCII(g.root, g.graph, g.plan.Load, err.Error()); wrong != nil {
		return wrong
	}
	if aboutCopies.MatchString(err.Error()) {
		if wrong := uncopyable(g.root, g.graph, g.plan.Inputs("deepcopy-gen"), err.Error()); wrong != nil {
			return wrong
		}
		if wrong := generic(g.root, g.graph, g.plan.Load, err.Error()); wrong != nil {
			return wrong
		}
	}
	return bothTags(g.root, g.scan.Sources, err.Error())
}
