// SPDX-License-Identifier: Apache-2.0

// Package explain finds the reasons for the failures of generators in the sources that they read: upstream's errors often name neither
// a file nor a line.
//
// It runs no generator and loads no package; where the sources show nothing, it returns nil, and the generator's own error stays.
package explain

import (
	"crypto/sha256"
	"fmt"

	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// Sources are the files of the API packages with their sums, by slash-separated paths below the root.
type Sources = map[string][sha256.Size]byte

// Context is what a generator worked on.
type Context struct {
	Root    string
	Sources Sources
	Graph   *load.Graph
	// Load and Copied are the import paths of all packages that generators read, and of those that deep copies are made of.
	Load, Copied []string
}

// noRule is what each generator says of a rule that there is not.
var noRule = lazyregexp.New(`unrecognized rule in --lint-rules: (\S+)`)

// Each returns the errors that were joined, however deep.
func Each(err error) (all []error) {
	joined, ok := err.(interface{ Unwrap() []error }) // not errors.As: what is wrapped with words of its own stays whole
	if !ok {
		if err != nil {
			all = append(all, err)
		}
		return all
	}
	for _, one := range joined.Unwrap() {
		all = append(all, Each(one)...)
	}
	return all
}

// Reason is the reason for a generator's failure that the settings, the tree or the loaded packages show; nil if they do not.
func (c Context) Reason(err error) error {
	said := err.Error()
	if m := noRule.FindStringSubmatch(said); m != nil {
		return fmt.Errorf("lintRules: unknown rule %q; use known-tags-only or require-explicit-disablement", m[1])
	}
	if file := Blocked(c.Root, err); file != nil {
		return file
	}
	if endless := Endless(c.Root, c.Graph, err); endless != nil {
		return endless
	}
	for _, find := range []func(Context, string) error{misnamed, validated, nonASCII, uncopyable, generic, bothTags} {
		if wrong := find(c, said); wrong != nil {
			return wrong
		}
	}
	return nil
}
