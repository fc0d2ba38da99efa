// SPDX-License-Identifier: Apache-2.0

// Package samples checks the objects of a project's kinds in its samples, documentation and tests: does the API server take them as they are?
//
// It has the API server's own code judge, as if each object were created. It applies nothing, and follows no templates or patches.
package samples

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
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
	// Parts is how many were left out, since they have no metadata, or in documentation no name.
	Parts int
	// Unchanged is how many were left out, since neither their files nor their CRDs changed.
	Unchanged int

	// Placeholders is how many values of the others were, since the reader has to put in others.
	Placeholders int

	since string
}

// Since is an older state of a project. What was wrong there with an object of a file is not reported again.
type Since struct {
	Name string
	// Read is a file as it was; nil if there was none.
	Read func(file string) ([]byte, error)
	// CRDs are those of the project as they were, and Same reports whether one is as it was.
	CRDs []*project.CRD
	Same func(crd *project.CRD) bool
	// Mutates reports whether a webhook of the project changed the objects of a resource.
	Mutates func(group, plural string) bool
}

// said is a finding wherever it is in a file. A fingerprint would not do: it is the same for other numbers, such as those in names of fields
// and of items.
type said struct{ rule, subject, message string }

func of(f rule.Finding) said { return said{f.Rule.ID, f.Subject, f.Message} }

// known are the severities with which each finding was found in a file.
func (s *Since) known(ctx context.Context, p *project.Project, file string, was []byte) map[said][]rule.Severity {
	j := judge{project: p, mutates: s.Mutates, crds: s.CRDs, kinds: map[string]*kind{}}
	all := map[said][]rule.Severity{}
	older := readSource(file, was, groupsOf(p))
	for _, o := range older.objects {
		older.problems = append(older.problems, j.object(ctx, older, o)...)
	}
	for _, f := range older.problems {
		all[of(f)] = append(all[of(f)], f.Severity)
	}
	return all
}

// same reports whether the API server takes the objects of a kind as it did: its CRD is as it was, and a webhook that changed them is still there.
func (s *Since) same(k *kind) bool {
	return s.Same(k.CRD) && (k.mutated || !s.Mutates(k.Spec.Group, k.Spec.Names.Plural))
}

// Check judges the samples of a project; with an older state, those that changed or whose CRDs did. The error is about kinds whose objects could
// not be judged; the result has the others.
func Check(ctx context.Context, p *project.Project, since *Since) (*Result, error) {
	r := &Result{}
	if since != nil {
		r.since = since.Name
	}
	sources, patched, err := find(p)
	if err != nil {
		return r, err
	}
	j := judge{project: p, mutates: p.Mutates, crds: p.CRDs, kinds: map[string]*kind{}}
	for _, s := range sources {
		if err := context.Cause(ctx); err != nil {
			return r, err
		}
		if err := r.check(ctx, &j, &s, since, patched); err != nil {
			return r, err
		}
	}
	r.Placeholders = j.placeholders
	return r, errors.Join(j.problems...)
}

// check judges the samples of a file, and adds what is new.
func (r *Result) check(ctx context.Context, j *judge, s *source, since *Since, patched names) (err error) {
	var was []byte
	if since != nil {
		if was, err = since.Read(s.file); err != nil {
			return err
		}
	}
	unchanged := was != nil && bytes.Equal(was, s.data)
	n := 0
	var wrong []rule.Finding
	for _, o := range s.objects {
		if s.role == counterexample {
			r.Skipped++
			continue
		}
		k := j.kindOf(o)
		if unchanged && k != nil && since.same(k) {
			r.Unchanged++
			continue
		}
		found := j.object(ctx, *s, o)
		if err := context.Cause(ctx); err != nil {
			return err // rules that were interrupted look as if they failed
		}
		n++
		wrong = append(wrong, s.roleFor(o, k, patched).weigh(found)...)
	}
	r.Templates += s.templates
	for _, o := range s.parts {
		if j.kindOf(o) != nil {
			r.Parts++
		}
	}
	if !unchanged {
		wrong = append(wrong, s.role.weigh(s.problems)...)
	}
	if was != nil && len(wrong) > 0 {
		wrong = withoutKnown(wrong, since.known(ctx, j.project, s.file, was))
	}
	r.Findings = append(r.Findings, wrong...)
	if r.Objects += n; n > 0 {
		r.Files++
	}
	return nil
}

// roleFor is what an object of the file is for, as far as its kind, which may be nil, and its metadata tell.
func (s *source) roleFor(o object, k *kind, patched names) role {
	as := s.role
	if k != nil && roleOf(k.File) == test {
		as = test // its CRD is an example itself, and documentation may show another stage of it
	} else if k != nil && patched.has(k.Name) && k.Version(o.GroupVersionKind().Version) != nil {
		as = max(as, proposal) // another schema than that of the file is installed
	}
	if len(o.GetOwnerReferences()) > 0 {
		as = max(as, proposal) // it shows what a controller made: only that knows the uid of the owner
	}
	return as
}

// withoutKnown leaves out of the findings as many as the older state has that were as bad or worse.
func withoutKnown(found []rule.Finding, known map[said][]rule.Severity) []rule.Finding {
	return slices.DeleteFunc(found, func(f rule.Finding) bool {
		i := slices.IndexFunc(known[of(f)], func(was rule.Severity) bool { return was >= f.Severity })
		if i >= 0 {
			known[of(f)] = slices.Delete(known[of(f)], i, i+1)
		}
		return i >= 0
	})
}

// String is what was judged, in words.
func (r *Result) String() string {
	words := text.Count(r.Objects, "object", "objects") + " in " + text.Count(r.Files, "file", "files")
	if r.Unchanged > 0 {
		words += fmt.Sprintf(", %d unchanged since %s", r.Unchanged, r.since)
	}
	if r.Skipped > 0 {
		words += fmt.Sprintf(", %d skipped as examples of what is wrong", r.Skipped)
	}
	if r.Templates > 0 {
		words += ", " + text.Count(r.Templates, "template", "templates") + " skipped"
	}
	if r.Parts > 0 {
		words += ", " + text.Count(r.Parts, "object", "objects") + " without a name or metadata skipped"
	}
	if r.Placeholders > 0 {
		words += ", " + text.Count(r.Placeholders, "placeholder", "placeholders") + " skipped"
	}
	return words
}
