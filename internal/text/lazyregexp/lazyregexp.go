// SPDX-License-Identifier: Apache-2.0

// Package lazyregexp has regular expressions for package variables, which are compiled when they are first used. Initializers of
// packages run in every command, and most commands need few of the expressions.
//
// It is not another matcher: it compiles a [regexp.Regexp] and has those of its methods that are used here.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// inTest compiles each expression at once, so that one with an error fails every test of its package.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// Regexp is a regular expression. It is safe for concurrent use. Its methods are those of [regexp.Regexp].
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the expression. If its syntax is wrong, the first use panics.
func New(expression string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	if inTest {
		r.compiled()
	}
	return r
}
