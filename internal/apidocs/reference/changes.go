// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"context"
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
)

// Changes are what is different in a version, compared with the one before it, or with the same one of an older revision.
type Changes struct {
	Since          string   // the other version, or the revision
	New            bool     // the revision does not have the version
	Added, Removed []string // paths of fields
	Other          []string // what else is different for those who write objects
}

// changed compares each version with the next older one.
func (k *Kind) changed(ctx context.Context, crd *project.CRD) error {
	for i, v := range k.Versions[:len(k.Versions)-1] {
		old := k.Versions[i+1]
		c := &Changes{Since: old.Name, Added: missing(pathsOf(old), v), Removed: missing(pathsOf(v), old)}
		err := c.compare(ctx, crd, crd, old.Name, v.Name)
		if err != nil {
			return err
		}
		if len(c.Added)+len(c.Removed)+len(c.Other) > 0 {
			v.Changes = c
		}
	}
	return nil
}

// since compares each version with the same one of the CRD as a revision had it; nil if it had none.
func (k *Kind) since(ctx context.Context, crd, old *project.CRD, revision string, hide *ignores) error {
	before := &Kind{}
	if old != nil {
		if shown := (&builder{crd: old, ignores: hide, modules: modules{}}).kind(); shown != nil {
			before = shown
		}
	}
	for _, v := range k.Versions {
		if old == nil || old.Version(v.Name) == nil {
			v.History = &Changes{Since: revision, New: true}
			continue
		}
		c := &Changes{Since: revision, Added: missing(schemaPaths(old, v.Name), v)}
		for _, was := range before.Versions {
			if was.Name == v.Name {
				c.Removed = missing(schemaPaths(crd, v.Name), was)
			}
		}
		if err := c.compare(ctx, old, crd, v.Name, v.Name); err != nil {
			return err
		}
		switch was, is := old.Version(v.Name), crd.Version(v.Name); {
		case was.Served && !is.Served:
			c.Other = append(c.Other, "the version is no longer served")
		case !was.Deprecated && is.Deprecated:
			c.Other = append(c.Other, "the version is deprecated now")
		case !was.Storage && is.Storage:
			c.Other = append(c.Other, "objects are stored in this version now")
		}
		if len(c.Added)+len(c.Removed)+len(c.Other) > 0 {
			v.History = c
		}
	}
	return nil
}

// gone are the versions that an older state has and the project does not, as "v1 of CronTab (crontabs.stable.example.com)".
func gone(p *project.Project, older *compat.Baseline) (all []string) {
	add := func(crd *project.CRD, version string) {
		all = append(all, fmt.Sprintf("%s of %s (%s)", version, crd.Spec.Names.Kind, crd.Name))
	}
	for _, old := range older.Removed() {
		for _, v := range old.Spec.Versions {
			add(old, v.Name)
		}
	}
	for _, crd := range p.CRDs {
		if old := older.State()[crd.Name]; old != nil {
			for _, v := range old.Spec.Versions {
				if crd.Version(v.Name) == nil {
					add(crd, v.Name)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// compare adds what package compat finds between a version of one CRD and a version of another one, but for fields that are gone: these are in a
// list of their own; and no server is asked to take one instead of the other.
func (c *Changes) compare(ctx context.Context, old, crd *project.CRD, was, is string) error {
	before, err := alone(old, was, is)
	if err != nil {
		return err
	}
	now, err := alone(crd, is, is)
	if err != nil {
		return err
	}
	found, _, err := compat.Compare(ctx, compat.StateOf([]*project.CRD{before}), compat.StateOf([]*project.CRD{now}), nil)
	if err != nil {
		return fmt.Errorf("%s: compare %s with %s: %w", crd.Name, is, c.Since, err)
	}
	for _, f := range found {
		if f.Rule.ID != "field-dropped" && f.Rule.ID != "refused-update" {
			c.Other = append(c.Other, f.Message)
		}
	}
	slices.Sort(c.Other)
	c.Other = slices.Compact(c.Other)
	return nil
}

// pathsOf are the fields that the reference shows of a version.
func pathsOf(v *Version) map[string]bool {
	known := map[string]bool{}
	for _, s := range v.Sections {
		for _, f := range s.Fields {
			known[f.Path] = true
		}
	}
	return known
}

// schemaPaths are all fields of a version, shown or not, with those that each object has.
func schemaPaths(crd *project.CRD, version string) map[string]bool {
	known := map[string]bool{"apiVersion": true, "kind": true, "metadata": true}
	crd.Walk(func(n *project.Node) bool {
		if n.Version.Name == version {
			known[project.Dotted(n.Path)] = true
		}
		return true
	})
	return known
}

// missing are the fields of a version that are not known; of those below each other, the outermost.
func missing(known map[string]bool, of *Version) (paths []string) {
	below := map[string]bool{} // anchors of sections that are new as a whole
	for _, s := range of.Sections {
		for _, f := range s.Fields {
			switch {
			case below[s.Anchor] && s.Path != "":
			case !known[f.Path]:
				paths = append(paths, f.Path)
			default:
				continue
			}
			if f.Section != "" {
				below[f.Section] = true
			}
		}
	}
	return paths
}

// alone is a CRD with one of its versions only, under a name.
func alone(crd *project.CRD, version, name string) (*project.CRD, error) {
	one := crd.DeepCopy()
	v := *crd.Version(version).DeepCopy()
	v.Name, v.Served, v.Storage = name, true, true
	one.Spec.Versions = []apiextv1.CustomResourceDefinitionVersion{v}
	one.Spec.Conversion = nil
	one.Status = apiextv1.CustomResourceDefinitionStatus{}
	one.APIVersion, one.Kind = apiextv1.SchemeGroupVersion.String(), "CustomResourceDefinition"
	text, err := yaml.Marshal(one)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", crd.Name, err)
	}
	all, err := project.Parse(crd.File, text)
	if err != nil || len(all) != 1 {
		return nil, fmt.Errorf("%s: version %s cannot be read: %w", crd.Name, version, err)
	}
	return all[0], nil
}
