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

// Changes are what is different in a version, compared with the one before it.
type Changes struct {
	Since          string   // the other version
	Added, Removed []string // paths of fields
	Other          []string // what else is different for those who write objects
}

// changed compares each version with the next older one.
func (k *Kind) changed(ctx context.Context, crd *project.CRD) error {
	for i, v := range k.Versions[:len(k.Versions)-1] {
		old := k.Versions[i+1]
		c := &Changes{Since: old.Name, Added: missing(old, v), Removed: missing(v, old)}
		before, err := alone(crd, old.Name, v.Name)
		if err != nil {
			return err
		}
		now, err := alone(crd, v.Name, v.Name)
		if err != nil {
			return err
		}
		found, _, err := compat.Compare(ctx, compat.StateOf([]*project.CRD{before}), compat.StateOf([]*project.CRD{now}), nil)
		if err != nil {
			return fmt.Errorf("%s: compare %s with %s: %w", crd.Name, v.Name, old.Name, err)
		}
		for _, f := range found {
			// Fields that are gone are in a list of their own; no server is asked to take one version instead of the other.
			if f.Rule.ID != "field-dropped" && f.Rule.ID != "refused-update" {
				c.Other = append(c.Other, f.Message)
			}
		}
		slices.Sort(c.Other)
		if c.Other = slices.Compact(c.Other); len(c.Added)+len(c.Removed)+len(c.Other) > 0 {
			v.Changes = c
		}
	}
	return nil
}

// missing are the fields of a version that another one does not have; of those below each other, the outermost.
func missing(in, of *Version) (paths []string) {
	known := map[string]bool{}
	for _, s := range in.Sections {
		for _, f := range s.Fields {
			known[f.Path] = true
		}
	}
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
