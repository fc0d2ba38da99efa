// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"slices"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// Versions finds what the versions of one CRD break between each other: values that are lost on the way from one to another, defaults of one
// that the others do not have, and an unstable version that stable ones are stored in. A conversion makes its own of all that.
func Versions(all []*project.CRD) (found []rule.Finding) {
	for _, crd := range all {
		if i := storageOf(crd); len(crd.Spec.Versions) > 1 && i != "" {
			var own findings
			own.versions(crd)
			found = append(found, own.merged()...)
		}
	}
	return found
}

func (all *findings) versions(crd *project.CRD) {
	storage := crd.Version(storageOf(crd))
	stable := false
	for _, v := range crd.Spec.Versions {
		stable = stable || v.Served && !isAlpha(v.Name)
	}
	if isAlpha(storage.Name) && stable {
		f := rule.New("alpha-storage-with-stable", crd.At(storage.Name, nil, "storageversion"), crd.Subject(storage.Name),
			"objects are stored as %s, while versions that promise more are served", storage.Name)
		all.add(f)
	}
	if converts(crd.CustomResourceDefinition) || crd.Converted() {
		return
	}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v == storage || !v.Served || schemaOf(v) == nil || schemaOf(storage) == nil {
			continue
		}
		c := pair{}
		c.compare(nil, schemaOf(v), schemaOf(storage))
		add := func(id, format string, fields []string) {
			if len(fields) == 0 {
				return
			}
			at, _ := crd.AtType(v.Name, nil)
			f := rule.New(id, at, crd.Subject(v.Name), format, v.Name, storage.Name, text.First(fields, 20)) // each is a loss of its own
			if isAlpha(v.Name) {
				f.Severity = rule.Note
			}
			all.add(f)
		}
		add("not-round-trip", "without a conversion, what is written as %[1]s and stored as %[2]s loses %[3]s", c.pruned)
		add("not-round-trip", "without a conversion, an update through %[1]s loses %[3]s of the stored version %[2]s", c.unseen)
		add("not-round-trip", "without a conversion, what is written as %[1]s is not valid as the stored version %[2]s, which has other types: %[3]s", c.types)
		add("default-missing-in-version", "%[1]s and the stored version %[2]s have other defaults for %[3]s", c.defaults)
	}
}

// pair compares a served version with the stored one.
type pair struct {
	// pruned are the fields of the served version that the stored one lacks, unseen those that the served one lacks; types and defaults are
	// those that differ.
	pruned, unseen, types, defaults []string
}

func (c *pair) compare(path []string, served, stored *props) {
	if a, b := typeOf(served), typeOf(stored); a != b {
		if !takes(b, a) {
			c.types = append(c.types, project.Dotted(path)+" ("+a+" and "+b+")")
		}
		return
	}
	below := func(name string) []string { return append(slices.Clone(path), name) }
	for _, name := range sortedKeys(served.Properties) {
		a := served.Properties[name]
		b, both := stored.Properties[name]
		switch {
		case len(path) == 0 && slices.Contains(metadata, name):
		case both:
			if (a.Default == nil) != (b.Default == nil) || a.Default != nil && compact(a.Default.Raw) != compact(b.Default.Raw) {
				c.defaults = append(c.defaults, project.Dotted(below(name))+" ("+defaultOf(&a)+" and "+defaultOf(&b)+")")
			}
			c.compare(below(name), &a, &b)
		case !preserves(stored):
			c.pruned = append(c.pruned, project.Dotted(below(name)))
		}
	}
	for _, name := range sortedKeys(stored.Properties) {
		if _, both := served.Properties[name]; !both && !preserves(served) && (len(path) > 0 || !slices.Contains(metadata, name)) {
			c.unseen = append(c.unseen, project.Dotted(below(name)))
		}
	}
	if a, b := project.ItemsOf(served), project.ItemsOf(stored); a != nil && b != nil {
		c.compare(below(project.Items), a, b)
	}
	if a, b := project.ValuesOf(served), project.ValuesOf(stored); a != nil && b != nil {
		c.compare(below(project.Values), a, b)
	}
}

func defaultOf(s *props) string {
	if s.Default == nil {
		return "none"
	}
	return text.Shorten(compact(s.Default.Raw), 30)
}
