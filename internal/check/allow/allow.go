// SPDX-License-Identifier: Apache-2.0

// Package allow takes out findings that the author of a Go field or type allows, with the marker +crdctl:allow=RULE and a reason.
//
// It knows no rule, and judges nothing but the markers themselves.
package allow

import (
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// Options say what is looked at.
type Options struct {
	// Read is the content of a file, relative to the project's root; Files are the Go files that may have markers.
	Read  func(file string) ([]byte, error)
	Files []string
	// Judged reports whether all findings of a rule are known: a marker for another is not called unused.
	Judged func(r *rule.Rule) bool
}

// Apply returns the findings that are not allowed, with those about the markers, and the number of those that are. Hidden are further
// findings, which count for nothing but that a marker is used.
func Apply(found, hidden []rule.Finding, o Options) (kept []rule.Finding, allowed int, err error) {
	var markers []*marker
	for _, file := range o.Files {
		src, err := o.Read(file)
		if err != nil {
			return nil, 0, err
		}
		markers = append(markers, parse(file, src)...)
	}
	suppressed := func(f rule.Finding) (is bool) {
		for _, m := range markers {
			if m.rule == f.Rule.ID && m.covers(f.Place) {
				m.used, is = true, true
			}
		}
		return is
	}
	for _, f := range hidden {
		suppressed(f)
	}
	for _, f := range found {
		if suppressed(f) {
			allowed++
		} else {
			kept = append(kept, f)
		}
	}
	for _, m := range markers {
		kept = append(kept, m.judge(o.Judged)...)
	}
	return kept, allowed, nil
}

// judge finds what is wrong with a marker.
func (m *marker) judge(judged func(*rule.Rule) bool) (all []rule.Finding) {
	report := func(id, format string, args ...any) {
		all = append(all, rule.New(id, m.place, m.subject, format, args...))
	}
	r := rule.Find(m.rule)
	switch {
	case m.rule == "":
		report("allow-unknown-rule", "+crdctl:allow names no rule")
		return all
	case strings.Contains(m.rule, ","):
		report("allow-unknown-rule", "+crdctl:allow names %s, and a marker has one rule; write one for each", strings.TrimRight(m.rule, ","))
		return all
	case r == nil:
		report("allow-unknown-rule", "+crdctl:allow names %s, which is not a rule", m.rule)
		return all
	case !m.used && m.to == 0:
		report("allow-unused", "+crdctl:allow=%s is above neither a field nor a type", m.rule)
	case !m.used && judged(r):
		report("allow-unused", "+crdctl:allow=%s suppresses nothing", m.rule)
	}
	if m.reason == "" {
		report("allow-without-reason", "+crdctl:allow=%s has no reason", m.rule)
	}
	return all
}

// Markers reports whether a Go file may have a marker.
func Markers(src []byte) bool { return strings.Contains(string(src), prefix) }

// GoFiles are the Go files of findings, and others, each once.
func GoFiles(files []string, found ...[]rule.Finding) []string {
	all := slices.Clone(files)
	for _, some := range found {
		for _, f := range some {
			if strings.HasSuffix(f.Place.File, ".go") {
				all = append(all, f.Place.File)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
