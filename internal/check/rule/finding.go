// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Place is a place in a file.
type Place struct {
	File      string // relative to the project's root, slash-separated; empty for a finding about the project as a whole
	Line, Col int    // from 1; Col may be 0 where only the line is known
}

// String is the place as compilers write it.
func (p Place) String() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Finding is one thing that is wrong, in one place.
type Finding struct {
	Rule     *Rule
	Severity Severity
	Place    Place
	// Subject is what the finding is about, in a form that does not change when lines move: the name of a CRD with a version and a
	// field, as in crontabs.stable.example.com/v1: spec.replicas, or a Go type with a field.
	Subject string
	// Also are the subjects of findings that say the same of the same place: versions, or CRDs, that share a Go type.
	Also []string
	// Message says what is wrong here, and Fix what to do about it here; if that is empty, the rule's Fix holds.
	Message, Fix string
	// Values are those that an enum has no more, all of them and as JSON: constants that went with them have no findings of their own.
	Values []string
	// Edit fixes it in the file of its place, where the fix is certain and changes nothing that is served.
	Edit *Edit
}

// Edit is the change of one line.
type Edit struct {
	Line   int    // from 1
	Has    string // what stands in the line; if it does not, the file has changed
	Insert string // a line to put above it, with its indentation; if empty, the line is removed
}

// New returns a finding of the rule with an ID, with the rule's severity.
func New(id string, at Place, subject, format string, args ...any) Finding {
	r := MustFind(id)
	return Finding{Rule: r, Severity: r.Severity, Place: at, Subject: subject, Message: fmt.Sprintf(format, args...)}
}

// Hint is what to do about the finding.
func (f Finding) Hint() string {
	if path.Ext(f.Place.File) != ".go" {
		return cmp.Or(f.Fix, f.Rule.Manifest, f.Rule.Fix)
	}
	return cmp.Or(f.Fix, f.Rule.Fix)
}

// numbers are what changes in the message of a finding that stays the same: how many objects there are, what a rule costs.
var numbers = regexp.MustCompile(`\d[\d.,]*`)

// Fingerprint is the same for the same finding when lines move, files are reformatted, or numbers in its message change.
func (f Finding) Fingerprint() string {
	said := numbers.ReplaceAllString(f.Message, "#")
	return fmt.Sprintf("%.16x", sha256.Sum256([]byte(strings.Join([]string{f.Rule.ID, cmp.Or(f.Subject, f.Place.File), said}, "\x00"))))
}

// Sort puts findings into the order of their places, and makes one of those that say the same of the same place: versions of one CRD, and
// CRDs, may share a Go type.
func Sort(all []Finding) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Col, b.Place.Col),
			cmp.Compare(a.Rule.ID, b.Rule.ID), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Subject, b.Subject))
	})
	sorted := all[:0]
	for _, f := range all {
		if len(sorted) > 0 {
			last := &sorted[len(sorted)-1]
			if last.Rule == f.Rule && last.Place == f.Place && last.Message == f.Message && (f.Place.Line > 0 || last.Subject == f.Subject) {
				if f.Subject != last.Subject {
					last.Also = append(last.Also, f.Subject)
				}
				last.Also = append(last.Also, f.Also...)
				continue
			}
		}
		sorted = append(sorted, f)
	}
	return sorted
}
