package gen

import (
	"context"
	"errors"
	"fmt"
	"regexp"
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

// explain finds the reason for a generator's failure in the sources, and returns it with its place: upstream's generators
// work on what is left of types that use names which do not exist, and fail with riddles. Where the sources tell
// nothing, the words stay.
func (g *generation) explain(ctx context.Context, err error) error {
	if s := (settled{}); errors.As(err, &s) {
		return s.error
	}
	if m := noRule.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("lintRules: %q is no rule; there are known-tags-only and require-explicit-disablement", m[1])
	}
	graph, loadErr := g.load(ctx, g.plan.Load)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if loadErr != nil {
		return loadErr
	}
	if wrong := typeErrors(g.root, graph); wrong != nil {
		return wrong
	}
	if aboutCopies.MatchString(err.Error()) {
		if wrong := uncopyable(g.root, graph, g.plan.Load, err.Error()); wrong != nil {
			return wrong
		}
	}
	return err
}
