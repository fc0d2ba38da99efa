// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"slices"
)

// The ways in which the versions of a kind are converted: the API server changes the apiVersion alone, or asks the controller.
const (
	ConversionNone    = "none"
	ConversionWebhook = "webhook"
)

// Conversion is a kind that is converted between a version and the one in which it is stored.
type Conversion struct {
	API, Hub   *API
	HubVersion *Version
}

// Conversions are those between a version and others.
func (p *Project) Conversions(v *Version) []Conversion {
	var all []Conversion
	for _, a := range v.APIs {
		if hub := p.Hub(a); a.Conversion == ConversionWebhook && hub != a {
			all = append(all, Conversion{API: a, Hub: hub, HubVersion: p.VersionOf(hub)})
		}
	}
	return all
}

// Peers are the import paths of the packages that kinds of a version are converted to, each once.
func (p *Project) Peers(v *Version) []string {
	var peers []string
	for _, c := range p.Conversions(v) {
		if !slices.Contains(peers, c.HubVersion.Package) {
			peers = append(peers, c.HubVersion.Package)
		}
	}
	return peers
}

// Converted are the kinds whose versions the controller converts, one version of each.
func (p *Project) Converted() []*API {
	return slices.DeleteFunc(slices.Clone(p.APIs), func(a *API) bool { return a.Conversion != ConversionWebhook || !p.Stored(a) })
}

// convert sets how the versions of a kind are converted: as options say, or as they were.
func (p *Project) convert(a *API, how string) error {
	kinds := p.Kinds(a.Group, a.Kind)
	switch how {
	case "":
		a.Conversion = kinds[0].Conversion
		return nil
	case ConversionNone, ConversionWebhook:
	default:
		return fmt.Errorf("--conversion %q must be none or webhook", how)
	}
	if len(kinds) == 1 {
		return fmt.Errorf("--conversion requires a second version of %s; omit it", a.Kind)
	}
	if how == ConversionNone {
		how = ""
	}
	for _, k := range kinds {
		k.Conversion = how
	}
	return nil
}

// Parts are the types of the kind whose conversion is the user's to complete. Where one version has a status and the other
// none, the whole object is one of them: conversion-gen leaves out the function of an object that has a field too many.
func (c Conversion) Parts() []string {
	parts := []string{c.API.Kind + "Spec"}
	switch {
	case c.API.Status && c.Hub.Status:
		parts = append(parts, c.API.Kind+"Status")
	case c.API.Status != c.Hub.Status:
		parts = append(parts, c.API.Kind)
	}
	return parts
}

// AliasOf is the name under which Go files import the package of a version.
func (p *Project) AliasOf(importPath string) string {
	for _, v := range p.Versions() {
		if v.Package == importPath {
			return v.APIs[0].Alias()
		}
	}
	return ""
}
