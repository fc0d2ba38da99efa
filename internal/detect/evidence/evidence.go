// SPDX-License-Identifier: Apache-2.0

// Package evidence has what a detection finds: settings, with what shows each, what it could not decide, and what it leaves to other tools.
package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
)

// Record is what was found.
type Record struct {
	// Settings are the settings without their defaults.
	Settings config.Project
	// Sources are what shows each setting that differs from its default: a file with a line, or a few words. A field is as in clients[0].dir.
	Sources map[string][]string
	// Unread are the things that could not be read or decided.
	Unread []Finding
	// NotCompared is the generated code of other tools, which crdctl neither makes nor compares.
	NotCompared []tree.NotCompared
}

// Finding is something that a person has to decide, or may want to know.
type Finding struct {
	Place string // a file, relative to the root, and its line; empty where no file shows it
	Text  string
	// Note is set where the finding changes nothing that crdctl generates.
	Note bool
}

// String is the finding as a line for a person.
func (f Finding) String() string {
	if f.Place == "" {
		return f.Text
	}
	return f.Place + ": " + f.Text
}

// Set records what shows a setting, once: a line may show several values of a list.
func (r *Record) Set(field, source string) {
	if !slices.Contains(r.Sources[field], source) {
		r.Sources[field] = append(r.Sources[field], source)
	}
}

// Ask records what a person has to decide.
func (r *Record) Ask(place, format string, args ...any) {
	r.find(Finding{Place: place, Text: fmt.Sprintf(format, args...)})
}

// Note records what a person may want to know.
func (r *Record) Note(place, format string, args ...any) {
	r.find(Finding{Place: place, Text: fmt.Sprintf(format, args...), Note: true})
}

// find records a finding once: the body of a loop is read several times.
func (r *Record) find(f Finding) {
	if !slices.Contains(r.Unread, f) {
		r.Unread = append(r.Unread, f)
	}
}

// List lists files as not compared. tool has the version after the name, where that is known.
func (r *Record) List(kind, tool string, paths []string, reason string) {
	slices.Sort(paths)
	r.NotCompared = append(r.NotCompared, tree.NotCompared{Kind: kind, Tool: strings.TrimSpace(tool), Paths: paths, Reason: reason})
}

// Listed reports whether a file is listed as not compared.
func (r *Record) Listed(file string) bool {
	return slices.ContainsFunc(r.NotCompared, func(n tree.NotCompared) bool { return slices.Contains(n.Paths, file) })
}

// PostProcess records a file or directory with the first that changes it, or with the first that may change more than its form.
func (r *Record) PostProcess(p config.PostProcessed) {
	all := &r.Settings.ControllerGen.PostProcessed
	less := func(a, b config.PostProcessed) bool {
		return slices.Index(changes, a.Changes) < slices.Index(changes, b.Changes)
	}
	if slices.ContainsFunc(*all, func(o config.PostProcessed) bool { return text.Below(o.Path, p.Path) && !less(o, p) }) {
		return
	}
	*all = append(slices.DeleteFunc(*all, func(o config.PostProcessed) bool { return text.Below(p.Path, o.Path) && !less(p, o) }), p)
	slices.SortFunc(*all, func(a, b config.PostProcessed) int { return strings.Compare(a.Path, b.Path) })
}

// changes are what commands may change, from the least to anything.
var changes = []config.Change{config.ChangesForm, config.ChangesMetadata, ""}
