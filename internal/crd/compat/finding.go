// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Kind says what would happen to an object.
type Kind string

const (
	// Dropped is an object that would lose fields.
	Dropped Kind = "dropped"
	// Gone is a version that the CRD would not have any more. It is of no one object.
	Gone Kind = "gone"
	// Invalid is an object that would not be valid any more.
	Invalid Kind = "invalid"
)

// Finding is one thing that the change of a CRD would do.
type Finding struct {
	// Namespace and Name are those of the object: no namespace if it has none, and neither if a version is gone.
	Namespace, Name string
	// Version is the one whose schema says so, the one of the object whose fields are dropped, or the one that is gone.
	Version string
	Kind    Kind
	// Fields are the paths of the fields that it is about, in their order.
	Fields []string
	// Messages are the API server's words, in their order, each with its field. What is dropped needs none.
	Messages []string
	// Problems are what the messages say, without values that may be whole objects, or secret.
	Problems []Problem
	// Writes are the ways to write an object that is invalid that the API server would refuse. A value that an update does not change may stay invalid.
	Writes []Write
}

// Problem is one thing that is wrong with an object.
type Problem struct {
	Field, Text string
	Type        field.ErrorType
	Rule        bool // of CEL
	// Writes are those of the object's that are refused for this.
	Writes []Write
}

// String is what a user reads.
func (f Finding) String() string {
	switch f.Kind {
	case Gone:
		return fmt.Sprintf("version %s would be removed; %s", f.Version, strings.Join(f.Messages, "; "))
	case Dropped:
		return fmt.Sprintf("%s: %s would be dropped", name(f.Namespace, f.Name), bounded(f.Fields, ", "))
	}
	out := ""
	if len(f.Writes) > 0 { // where that is create alone, stored objects can still be updated
		out = " (" + Refused(f.Writes) + ")"
	}
	return fmt.Sprintf("%s (%s): %s%s", name(f.Namespace, f.Name), f.Version, bounded(f.Messages, "; "), out)
}

const (
	// shown is how many of a list are printed, and longest is how many characters of each: schemas are wrong for all
	// objects, or for none, and a message may quote a whole object.
	shown   = 5
	longest = 300
)

// Text is what a user reads of many findings: the first few, a line each, and how many more there are.
func Text(findings []Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	return joined(lines, "\n", "\n")
}

// bounded is the first few of a list in one line, each of them cut.
func bounded(list []string, between string) string {
	var short []string
	for _, s := range list {
		if runes := []rune(s); len(runes) > longest {
			s = string(runes[:longest]) + "…"
		}
		short = append(short, strings.ReplaceAll(s, "\n", " "))
	}
	return joined(short, between, " ")
}

func joined(list []string, between, last string) string {
	if len(list) <= shown {
		return strings.Join(list, between)
	}
	return fmt.Sprintf("%s%sand %d more", strings.Join(list[:shown], between), last, len(list)-shown)
}

func finding(u *unstructured.Unstructured, version string, kind Kind, fields, messages []string) Finding {
	return Finding{Namespace: u.GetNamespace(), Name: u.GetName(), Version: version, Kind: kind, Fields: fields, Messages: messages}
}

func name(namespace, object string) string {
	if namespace == "" {
		return object
	}
	return namespace + "/" + object
}
