// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// Module is a go.mod file.
type Module struct {
	File string
	Mod  *modfile.File
}

// newModule parses a go.mod file.
func newModule(file string, data []byte) (*Module, error) {
	mod, err := modfile.Parse(file, data, nil)
	if err != nil {
		return nil, fmt.Errorf("not determined: %w; \"go mod edit -json\" reports the same", err)
	}
	if mod.Module == nil {
		return nil, fmt.Errorf("not determined: %s: no module directive; add one, as \"module example.com/name\"", file)
	}
	return &Module{file, mod}, nil
}

// Dir is the directory of the module.
func (m *Module) Dir() string { return path.Dir(m.File) }

// Path is the import path of the module.
func (m *Module) Path() string { return m.Mod.Module.Mod.Path }

// requirement is a module that another one needs.
type requirement struct {
	path, version string // the version that counts
	at            rule.Place
	indirect      bool
	fork          bool // whether another module, or a directory, takes its place
}

// requirements are what the module needs, by path.
func (m *Module) requirements() map[string]requirement {
	all := map[string]requirement{}
	for _, r := range m.Mod.Require {
		q := requirement{path: r.Mod.Path, version: r.Mod.Version, at: m.place(r.Syntax), indirect: r.Indirect}
		for _, s := range m.Mod.Replace {
			if s.Old.Path == q.path && (s.Old.Version == "" || s.Old.Version == r.Mod.Version) {
				q.version, q.at, q.fork = s.New.Version, m.place(s.Syntax), s.New.Path != q.path
			}
		}
		all[q.path] = q
	}
	return all
}

func (m *Module) place(line *modfile.Line) rule.Place {
	return rule.Place{File: m.File, Line: line.Start.Line, Col: line.Start.LineRune}
}

// goVersion is the version of Go that the module needs, as in 1.26.0, and where it says so.
func (m *Module) goVersion() (string, rule.Place) {
	if m.Mod.Go == nil {
		return "", rule.Place{}
	}
	return m.Mod.Go.Version, m.place(m.Mod.Go.Syntax)
}

// minor is the number of the minor version; -1 where a version has none, or is not of the form v0.N that modules of Kubernetes have.
func minor(version string) int {
	if !semver.IsValid(version) || semver.Major(version) != "v0" {
		return -1
	}
	return number(strings.TrimPrefix(semver.MajorMinor(version), "v0."))
}

func number(digits string) int {
	n := 0
	for _, d := range digits {
		if d < '0' || d > '9' {
			return -1
		}
		n = 10*n + int(d-'0')
	}
	return n
}

// moduleOf is the module that a file is in; nil if there is none.
func (s *Source) moduleOf(file string) *Module {
	var best *Module
	for _, m := range s.Modules {
		if m.Dir() == "." || strings.HasPrefix(file, m.Dir()+"/") {
			if best == nil || len(m.Dir()) > len(best.Dir()) || best.Dir() == "." {
				best = m
			}
		}
	}
	return best
}

// controllers are the modules that are judged: not those with tools for the work on the project.
func (s *Source) controllers() []*Module {
	own := slices.DeleteFunc(slices.Clone(s.Modules), func(m *Module) bool {
		return slices.ContainsFunc(strings.Split(m.Dir(), "/"), func(part string) bool {
			return part == "hack" || part == "tools" || part == "scripts" || part == "experimental"
		})
	})
	slices.SortFunc(own, func(a, b *Module) int { return cmp.Compare(a.File, b.File) })
	return own
}
