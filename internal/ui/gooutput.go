// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

type statusKey struct{}

// status is what work is at, and the go command that it started.
type status struct {
	mu       sync.Mutex
	steps    []*string // that take long, see Step
	modules  int
	module   string // that is downloaded
	packages int    // that were compiled
}

func (s *status) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var parts []string
	for _, step := range s.steps {
		parts = append(parts, *step)
	}
	switch {
	case s.packages == 1:
		parts = append(parts, "1 package compiled")
	case s.packages > 0:
		parts = append(parts, fmt.Sprintf("%d packages compiled", s.packages))
	case s.module != "":
		parts = append(parts, fmt.Sprintf("downloading %s, module %d", s.module, s.modules))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// Step names a part of the context's work that takes long, and is shown with it until done is called.
func Step(ctx context.Context, what string) (done func()) {
	s, ok := ctx.Value(statusKey{}).(*status)
	if !ok {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	step := &what
	s.steps = append(s.steps, step)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.steps = slices.DeleteFunc(s.steps, func(other *string) bool { return other == step })
	}
}

// goOutput takes what the go command prints on standard error.
type goOutput struct {
	status *status
	others io.Writer // gets the lines that are no progress
	line   []byte    // that is not complete yet
}

// GoOutput returns a writer for the standard error of a go command, which may run with -v: lines about progress are
// counted where the context's work is shown, and all others go to others.
func GoOutput(ctx context.Context, others io.Writer) io.Writer {
	s, ok := ctx.Value(statusKey{}).(*status)
	if !ok {
		s = &status{}
	}
	return &goOutput{status: s, others: others}
}

// compiled is a line of "go build -v": an import path. What compilers say has blanks or colons in it.
var compiled = regexp.MustCompile(`^[A-Za-z0-9_][^\s:#^]*$`)

// Write never fails: what a command says must not break it off.
func (g *goOutput) Write(p []byte) (int, error) {
	g.line = append(g.line, p...)
	for {
		i := bytes.IndexByte(g.line, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := string(g.line[:i])
		g.line = g.line[i+1:]
		g.take(line)
	}
}

func (g *goOutput) take(line string) {
	g.status.mu.Lock()
	defer g.status.mu.Unlock()
	module, downloading := strings.CutPrefix(line, "go: downloading ")
	switch {
	case downloading:
		g.status.modules++
		g.status.module = module
	case compiled.MatchString(line):
		g.status.packages++
	default:
		_, _ = io.WriteString(g.others, line+"\n")
	}
}
