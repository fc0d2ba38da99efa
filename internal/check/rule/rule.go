// SPDX-License-Identifier: Apache-2.0

// Package rule has the rules of "crdctl check" and "crdctl doctor", each with the page that explains it, and the form of a finding.
//
// It judges nothing: the packages preflight, compat, lint, samples and doctor do, and name the rules by their IDs.
package rule

import (
	"fmt"
	"slices"
)

// Family is a part of the check that can be asked for alone.
type Family string

// The families, by the question that they answer.
const (
	Lint      Family = "lint"      // is the API well designed?
	Compat    Family = "compat"    // does a change break what is stored and written?
	Preflight Family = "preflight" // does the API server take the CRDs, and do they mean what they say?
	Samples   Family = "samples"   // are the sample objects valid?
)

// Doctor are the rules of "crdctl doctor", which "crdctl check" does not run.
const Doctor Family = "doctor"

// Families are the families of "crdctl check", in the order in which they are printed.
var Families = []Family{Preflight, Compat, Lint, Samples}

// every has all families, those of other commands last.
var every = append(slices.Clone(Families), Doctor)

// Severity says what a finding means to the exit code.
type Severity int

// The severities, from the least.
const (
	Note Severity = iota
	Warning
	Error
)

var severities = []string{"note", "warning", "error"}

// String is the severity as flags and reports write it.
func (s Severity) String() string { return severities[s] }

// ParseSeverity is the reverse of String.
func ParseSeverity(name string) (Severity, error) {
	i := slices.Index(severities, name)
	if i < 0 {
		return 0, fmt.Errorf("%q must be note, warning or error", name)
	}
	return Severity(i), nil
}

// Category says whom a change of an API breaks. Choosing one of STORED, WRITE, READ and GO includes those before it.
type Category string

// The categories of rules of the family compat.
const (
	Stored Category = "STORED" // objects that are stored
	Write  Category = "WRITE"  // manifests and programs that write objects
	Read   Category = "READ"   // programs that read objects
	Go     Category = "GO"     // Go programs that import the types
	SSA    Category = "SSA"    // the owners of fields in server-side apply
	Ops    Category = "OPS"    // scripts, roles, and other objects of a cluster
)

// Rule is one thing that the check looks for.
type Rule struct {
	ID       string
	Family   Family
	Severity Severity // unless a finding says otherwise
	Category Category // of compat only
	Title    string   // what is wrong, in one sentence
	Why      string   // why it matters, in one sentence
	Fix      string   // what to do about it, in one sentence
	// Manifest is the Fix where the finding is in a manifest: Fix names the marker that a generator makes it of. It may be empty.
	Manifest string
	// Page is all of the rule's page, as Markdown.
	Page string
	// Flagged and Clean are the examples of the page: what the rule finds, and what it does not.
	Flagged, Clean []Block
}

// Block is a fenced block of an example, with the words behind its fence.
type Block struct{ Info, Text string }
