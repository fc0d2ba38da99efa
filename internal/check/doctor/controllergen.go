// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// pin is a version of controller-gen that the project asks for.
type pin struct {
	version string
	at      rule.Place
}

var (
	pinned = lazyregexp.New(`(?m)^[ \t]*(?:export[ \t]+)?(?:CONTROLLER_TOOLS_VERSION|CONTROLLER_GEN_VERSION|CONTROLLER_GEN_VER|CONTROLLERGEN_VERSION)[ \t]*[:?]?=[ \t]*["']?(v\d+\.\d+\.\d+[\w.-]*|latest)|controller-gen@(v\d+\.\d+\.\d+[\w.-]*|latest)\b`)
	// versionNote is where controller-gen writes its version in CRDs.
	versionNote = []string{"metadata", "annotations", "controller-gen.kubebuilder.io/version"}
)

const (
	controllerTools = "sigs.k8s.io/controller-tools"
	// firstForNewGo is the first version of controller-tools that a Go from newGo on compiles to something that works.
	firstForNewGo, newGo = "v0.14.0", "v1.22"
)

// pins are the versions of controller-gen in scripts and go.mod files.
func (s *Source) pins() (all []pin) {
	for _, script := range s.Scripts {
		for _, m := range pinned.FindAllSubmatchIndex(script.Data, -1) {
			start := max(m[2], m[4])
			end := max(m[3], m[5])
			if line := script.Data[1+strings.LastIndexByte(string(script.Data[:m[0]]), '\n') : m[0]]; strings.Contains(string(line), "#") {
				continue // a comment
			}
			all = append(all, pin{string(script.Data[start:end]), rule.Place{File: script.Path, Line: repo.LineOf(script.Data, start)}})
		}
	}
	for _, m := range s.Modules {
		if q, ok := m.requirements()[controllerTools]; ok && !q.fork && !q.indirect {
			all = append(all, pin{q.version, q.at})
		}
	}
	return all
}

// controllerGen finds versions of controller-gen that are too old for Go, not pinned, or not those that made the CRDs.
func controllerGen(s *Source) (all []rule.Finding) {
	pins := s.pins()
	for _, p := range pins {
		subject := p.at.File + ": controller-gen"
		if p.version == "latest" {
			all = append(all, rule.New("controller-gen-unpinned", p.at, subject, "controller-gen@latest is another version on another day"))
			continue
		}
		if m := s.moduleOf(p.at.File); m != nil && semver.Compare(p.version, firstForNewGo) < 0 {
			if version, _ := m.goVersion(); semver.Compare("v"+version, newGo) >= 0 {
				all = append(all, rule.New("controller-gen-old", p.at, subject, "controller-gen %s does not work when it is built with Go %s, which %s asks for", p.version, version, m.File))
			}
		}
	}
	return append(all, s.notAsPinned(pins)...)
}

// notAsPinned are the CRDs of the project's own kinds that another version of controller-gen made: one finding for each version.
func (s *Source) notAsPinned(pins []pin) (all []rule.Finding) {
	if s.Project == nil || len(pins) == 0 {
		return nil
	}
	type made struct {
		first rule.Place
		name  string
		more  int
	}
	others := map[string]*made{}
	for _, crd := range s.Project.CRDs {
		version := crd.Annotations[versionNote[2]]
		if version == "" || !s.Project.Declares(crd.Spec.Group, crd.Spec.Names.Kind) || slices.ContainsFunc(pins, func(p pin) bool { return p.version == version || p.version == "latest" }) {
			continue
		}
		if o := others[version]; o != nil {
			o.more++
			continue
		}
		others[version] = &made{first: crd.InManifest(versionNote...), name: crd.Name}
	}
	for _, version := range slices.Sorted(maps.Keys(others)) {
		o := others[version]
		f := rule.New("controller-gen-version", o.first, o.name, "controller-gen %s made %s, and %s asks for %s", version, text.AndMore(o.name, o.more), pins[0].at, pins[0].version)
		if !semver.IsValid(version) { // a build from source, as "go run" makes it
			f.Severity = rule.Note
		}
		all = append(all, f)
	}
	return all
}
