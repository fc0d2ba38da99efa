// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var (
	// packaged are directories of charts and bundles.
	packaged = lazyregexp.New(`(^|/)(charts?|[^/]*helm[^/]*|bundle)/`)
	// action is a line of a template that is not a part of the manifest.
	action = lazyregexp.New(`(?m)^[ \t]*\{\{.*\}\}[ \t]*\r?$`)
	// comment is one of a template.
	comment = lazyregexp.New(`(?s)\{\{-? ?/\*.*?\*/ ?-?\}\}`)
)

// copies finds CRDs in charts and bundles that are not those of the project: a field or a version is in one of them only.
func copies(s *Source) (all []rule.Finding) {
	if s.Project == nil {
		return nil
	}
	own := map[string]*project.CRD{}
	for _, crd := range s.Project.CRDs {
		own[crd.Name] = crd
	}
	for _, f := range s.YAML {
		if !packaged.MatchString(f.Path) || release.MatchString(f.Path) || !bytes.Contains(f.Data, []byte("CustomResourceDefinition")) {
			continue
		}
		crds, err := project.Parse(f.Path, plain(f.Data))
		if err != nil {
			continue // a template that has more than actions on lines of their own
		}
		var stale []rule.Finding
		for _, c := range crds {
			if crd := own[c.Name]; crd != nil && crd.File != c.File {
				stale = append(stale, drift(crd, c)...)
			}
		}
		if len(stale) > 1 {
			stale[0].Message += fmt.Sprintf("; so do other CRDs of the file: %d", len(stale)-1)
		}
		all = append(all, stale[:min(1, len(stale))]...) // who copied one copied all
	}
	return all
}

// plain is a template without its actions and comments; the lines stay the same ones.
func plain(data []byte) []byte {
	if !bytes.Contains(data, []byte("{{")) {
		return data
	}
	data = comment.ReplaceAllFunc(data, func(c []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(c, []byte("\n"))) })
	return action.ReplaceAll(data, nil)
}

// drift compares the fields of a copy with those of the project's CRD.
func drift(crd, c *project.CRD) []rule.Finding {
	lacks, has := differences(crd, c)
	all := slices.Concat(lacks, has)
	if len(all) == 0 {
		return nil
	}
	return []rule.Finding{rule.New("chart-crd-stale", c.InManifest("metadata", "name"), crd.Name, "the copy of %s %s; see %s", crd.Name, inTotal(all), crd.File)}
}

// inTotal is the first of some differences, and how many there are.
func inTotal(differences []string) string {
	if n := len(differences); n > 1 {
		return fmt.Sprintf("%s (differences in total: %d)", differences[0], n)
	}
	return differences[0]
}

// differences are the versions and fields that an older state of a CRD lacks, and those that only it has, as what a sentence about it goes on
// with.
func differences(crd, older *project.CRD) (lacks, has []string) {
	want, got := fieldsOf(crd), fieldsOf(older)
	for _, version := range slices.Sorted(maps.Keys(want)) {
		if got[version] == nil {
			lacks = append(lacks, "lacks the version "+version)
			continue
		}
		if len(got[version]) <= 1 {
			continue // it has no schema on purpose
		}
		lacks = append(lacks, missing("lacks "+version+": ", want[version], got[version])...)
		has = append(has, missing("still has "+version+": ", got[version], want[version])...)
	}
	for _, version := range slices.Sorted(maps.Keys(got)) {
		if want[version] == nil {
			has = append(has, "still has the version "+version)
		}
	}
	return lacks, has
}

// fieldsOf are the paths of the fields of each version.
func fieldsOf(crd *project.CRD) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, v := range crd.Spec.Versions {
		all[v.Name] = map[string]bool{}
	}
	crd.Walk(func(n *project.Node) bool {
		all[n.Version.Name][project.Dotted(n.Path)] = true
		return true
	})
	return all
}

// missing are the fields that only the first of two versions has, without those below another one.
func missing(what string, in, from map[string]bool) (all []string) {
	last := "\x00"
	for _, field := range slices.Sorted(maps.Keys(in)) {
		if from[field] || strings.HasPrefix(field, last+".") || strings.HasPrefix(field, last+"[") || strings.HasPrefix(field, last+"{") {
			continue
		}
		last = field
		all = append(all, what+field)
	}
	return all
}
