// SPDX-License-Identifier: Apache-2.0

// Package samples checks the objects of a project's kinds in its samples, documentation and tests: does the API server take them as they are?
//
// It has the API server's own code judge, as if each object were created. It applies nothing, and follows no templates or patches.
package samples

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// Result is what was found.
type Result struct {
	Findings []rule.Finding
	// Objects is how many objects were judged, in how many files.
	Objects, Files int
	// Skipped is how many objects were left out, since their file or directory is named as one of bad examples.
	Skipped int
	// Templates is how many were left out, since a program has yet to replace values in them.
	Templates int
}

// Check judges the samples of a project. The error is about kinds whose objects could not be judged; the result has the others.
func Check(ctx context.Context, p *project.Project) (*Result, error) {
	r := &Result{}
	sources, err := find(p)
	if err != nil {
		return r, err
	}
	j := judge{project: p, kinds: map[string]*kind{}}
	for _, s := range sources {
		if err := context.Cause(ctx); err != nil {
			return r, err
		}
		n := 0
		for _, o := range s.objects {
			if s.role == counterexample {
				r.Skipped++
				continue
			}
			found := j.object(ctx, s, o)
			if err := context.Cause(ctx); err != nil {
				return r, err // rules that were interrupted look as if they failed
			}
			n++
			r.Findings = append(r.Findings, s.role.weigh(found)...)
		}
		r.Templates += s.templates
		r.Findings = append(r.Findings, s.role.weigh(s.problems)...)
		if r.Objects += n; n > 0 {
			r.Files++
		}
	}
	return r, errors.Join(j.problems...)
}

// String is what was judged, in words.
func (r *Result) String() string {
	text := count(r.Objects, "object") + " in " + count(r.Files, "file")
	if r.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped as examples of what is wrong", r.Skipped)
	}
	if r.Templates > 0 {
		text += ", " + count(r.Templates, "template") + " skipped"
	}
	return text
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
