// SPDX-License-Identifier: Apache-2.0

package crdgen

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/packages"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Package is a parsed package in which kinds may be declared.
type Package struct {
	// Dir tells it from the others.
	Dir   string
	Files []*ast.File
}

// Resource is what controller-tools makes of a type that gets a CRD.
type Resource struct {
	Group, Kind string
	// Plural is the name of the resource in the CRD, which one version may decide for all.
	Plural string
	// Marked tells that this very type has a +kubebuilder:resource marker, and Path is the plural that it gives, if any.
	Marked bool
	Path   string
}

// The markers by which controller-tools decides on a name.
const (
	groupMarker    = "groupName"
	skipMarker     = "kubebuilder:skip"
	resourceMarker = "kubebuilder:resource"
	leftOutMarker  = "kubebuilder:skipversion"
)

// Resources asks controller-tools for the names in the CRDs of all kinds that packages declare, without the schemas and so
// without types: it is handed empty ones. A package with markers that cannot be read has no kinds here; who reads its
// markers for what they say has the error.
func Resources(pkgs []Package) (map[*ast.TypeSpec]Resource, error) {
	known, err := nameMarkers()
	if err != nil {
		return nil, err
	}
	collector := &markers.Collector{Registry: known}
	parser := &crd.Parser{
		Types:             map[crd.TypeIdent]*markers.TypeInfo{},
		GroupVersions:     map[*loader.Package]schema.GroupVersion{},
		FlattenedSchemata: map[crd.TypeIdent]apiextv1.JSONSchemaProps{},
	}
	for _, p := range pkgs {
		pkg := &loader.Package{Package: &packages.Package{ID: p.Dir, Syntax: p.Files}}
		said, err := markers.PackageMarkers(collector, pkg)
		if err != nil || said.Get(skipMarker) != nil {
			continue
		}
		// A kind without a group is an error of its own. Versions need no more than to differ.
		group, _ := said.Get(groupMarker).(string)
		parser.GroupVersions[pkg] = schema.GroupVersion{Group: group, Version: p.Dir}
		err = markers.EachType(collector, pkg, func(t *markers.TypeInfo) {
			if embeds(t, "TypeMeta") && embeds(t, "ObjectMeta") {
				of := crd.TypeIdent{Package: pkg, Name: t.Name}
				parser.Types[of] = t
				parser.FlattenedSchemata[of] = apiextv1.JSONSchemaProps{}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	all := map[*ast.TypeSpec]Resource{}
	for of, t := range parser.Types {
		kind := schema.GroupKind{Group: parser.GroupVersions[of.Package].Group, Kind: t.Name}
		parser.NeedCRDFor(kind, nil)
		made, ok := parser.CustomResourceDefinitions[kind]
		if !ok {
			continue // all its versions are left out
		}
		r := Resource{Group: kind.Group, Kind: kind.Kind, Plural: made.Spec.Names.Plural}
		for _, v := range t.Markers[resourceMarker] {
			m, ok := v.(crdmarkers.Resource)
			if !ok {
				return nil, fmt.Errorf("controller-tools reads +%s as %T", resourceMarker, v)
			}
			r.Marked = true
			if m.Path != "" {
				r.Path = m.Path
			}
		}
		all[t.RawSpec] = r
	}
	return all, nil
}

// nameMarkers are a registry without all the others: a mistake in one of them says nothing about names.
func nameMarkers() (*markers.Registry, error) {
	known, err := registry()
	if err != nil {
		return nil, err
	}
	own := &markers.Registry{}
	for name, target := range map[string]markers.TargetType{
		groupMarker: markers.DescribesPackage, skipMarker: markers.DescribesPackage,
		resourceMarker: markers.DescribesType, leftOutMarker: markers.DescribesType,
	} {
		d := known.Lookup("+"+name, target)
		if d == nil {
			return nil, fmt.Errorf("controller-tools knows no marker +%s", name)
		}
		if err := own.Register(d); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// embeds reports whether a type embeds one of the types of another package, as all that the API server serves do.
func embeds(t *markers.TypeInfo, name string) bool {
	for _, f := range t.Fields {
		if sel, ok := f.RawField.Type.(*ast.SelectorExpr); ok && f.Name == "" && sel.Sel.Name == name {
			return true
		}
	}
	return false
}
