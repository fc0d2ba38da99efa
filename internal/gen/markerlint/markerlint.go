// SPDX-License-Identifier: Apache-2.0

// Package markerlint finds tags in API packages that upstream's generators ignore, or fail on with an obscure error: misspelled
// names, values that mean nothing, and places that no generator reads.
//
// It parses files and type-checks nothing, and it does not decide what is generated: that is gen's plan. Where it is not
// sure, it reports nothing, or warns: a project that generates well with upstream's tools must not fail here.
package markerlint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Severity tells a mistake from a guess.
type Severity int

const (
	// Warning is a tag that nothing known reads; another tool may.
	Warning Severity = iota
	// Error is a tag that surely does not do what it was written for.
	Error
)

// About is what is wrong with a tag, or with a kind that tags name.
type About int

const (
	// Value is a value that a tag does not take, or that does not do what it says.
	Value About = iota + 1
	// Unknown is a name that nothing reads.
	Unknown
	// Misplaced is a tag where nothing reads it.
	Misplaced
	// Plural is a kind whose plurals, or names of files, clash.
	Plural
)

// Finding is one tag with something wrong, and what to do about it.
type Finding struct {
	File      string // relative to the root, slash-separated
	Line, Col int    // of the plus sign, or of the type
	Severity  Severity
	About     About
	Message   string
	// Meant is what a misspelled tag was surely meant to be, without the plus, and Written is what stands there.
	Meant, Written string
}

// String is the finding as compilers write theirs.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.Message)
}

// Families are the tags that are looked at, by the tools that run.
type Families struct {
	// Gengo are +genclient, +k8s:, +groupName, +groupGoName and +resourceName, which code-generator reads.
	Gengo bool
	// Kubebuilder are the +kubebuilder: markers, which controller-tools reads.
	Kubebuilder bool
	// Fields is set if a tool runs which reads tags of fields without a prefix, such as +optional: controller-tools or openapi-gen.
	// Without one, a misspelled one changes nothing, and is a warning.
	Fields bool
	// PluralExceptions are the Go plurals that the settings give kinds.
	PluralExceptions map[string]string
	// Sources, if there are any, are the files to look at instead of those on disk, by their paths relative to the root.
	Sources map[string][]byte
	// CRDs are the directories of the packages whose kinds get a CRD, relative to the root, and Clients are the trees of
	// clients: the two must have one name for a kind.
	CRDs    []string
	Clients []ClientTree
}

// problem is what is wrong with a tag; nil if nothing is.
type problem struct {
	severity       Severity
	about          About
	message        string
	meant, written string
}

// as says what a problem is about, if there is one and it is not known.
func (p *problem) as(about About) *problem {
	if p != nil && p.about == 0 {
		p.about = about
	}
	return p
}

func mistake(format string, args ...any) *problem {
	return &problem{severity: Error, message: fmt.Sprintf(format, args...)}
}

func doubt(format string, args ...any) *problem {
	return &problem{severity: Warning, message: fmt.Sprintf(format, args...)}
}

// Check looks at the Go files in the directories dirs of root and below, and returns what it finds in the order of files and
// lines. Tests, generated files and what the go command ignores are left out, and so are files that do not parse: the
// loader has better words for them. An error is a directory or a file that cannot be read.
func Check(root string, dirs []string, families Families) ([]Finding, error) {
	if !families.Gengo && !families.Kubebuilder {
		return nil, nil
	}
	files, err := read(root, dirs, families.Sources)
	if err != nil {
		return nil, err
	}
	pkgs := packages(root, files)
	var found []Finding
	for _, p := range pkgs {
		if families.Gengo {
			found = append(found, p.gengo(families.Fields)...)
			found = append(found, p.keywords(families.Clients)...)
			clashes := p.plurals(families.PluralExceptions)
			p.clashes = len(clashes) > 0
			found = append(found, clashes...)
		}
		for _, f := range p.files {
			if families.Kubebuilder {
				more, err := f.kubebuilder()
				if err != nil {
					return nil, err
				}
				found = append(found, more...)
			}
		}
	}
	more, err := resources(pkgs, families)
	if err != nil {
		return nil, err
	}
	found = append(found, more...)
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return found, nil
}

// Refusal is the error of all findings that are mistakes, or nil.
func Refusal(found []Finding) error {
	var lines []string
	for _, f := range found {
		if f.Severity == Error {
			lines = append(lines, f.String())
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return errors.New("invalid markers in the API packages:\n  " + strings.Join(lines, "\n  "))
}

// First is the first finding that is a mistake, as a line, or "".
func First(found []Finding) string {
	if i := slices.IndexFunc(found, func(f Finding) bool { return f.Severity == Error }); i >= 0 {
		return found[i].String()
	}
	return ""
}
