// SPDX-License-Identifier: Apache-2.0

// Package compat finds what a change of CRDs and of their Go types breaks: objects that are stored, manifests that are written, programs that
// read objects or import the types.
//
// It compares two states, and judges none alone, save for what two versions of one state break between each other. What the API server makes of
// an object is the matter of the packages crd/compat and crd/write, which it asks.
package compat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/crd/compat"
	"github.com/crdctl/crdctl/internal/text"
)

// State is the CRDs of a project at some time, by name.
type State map[string]*project.CRD

// StateOf are CRDs by their names.
func StateOf(crds []*project.CRD) State {
	s := State{}
	for _, crd := range crds {
		s[crd.Name] = crd
	}
	return s
}

// Compare returns what the change from one state to another breaks. A CRD that is new breaks nothing; one that is gone is for the caller to judge:
// it may be elsewhere.
//
// Objects are of the older CRDs; those of other kinds are left out. What the API server says of them is added to the findings. The notes say of
// which CRDs they could not be tried. With an error, there is what was found nevertheless.
func Compare(ctx context.Context, old, now State, objects Objects) (found []rule.Finding, notes []string, err error) {
	found, notes, _, err = compare(ctx, old, now, objects.pages)
	return found, notes, err
}

// compare is Compare with objects of which no more than a page is held. It returns how many were tried.
func compare(ctx context.Context, old, now State, objects pages) (found []rule.Finding, notes []string, tried int, err error) {
	var all findings
	var problems []error
	for _, name := range sortedKeys(now) {
		if err := context.Cause(ctx); err != nil {
			return nil, nil, 0, err
		}
		if old[name] == nil || same(old[name], now[name]) {
			continue
		}
		problems = append(problems, all.refused(ctx, old[name], now[name]))
		all.crd(old[name], now[name])
		n, err := all.stored(ctx, old[name], now[name], objects)
		tried += n
		if current, ok := errors.AsType[*compat.CurrentError](err); ok {
			notes = append(notes, fmt.Sprintf("objects of %s were not tried: its older state: %s", name, current.Err))
			continue
		}
		problems = append(problems, err)
	}
	return all.merged(), notes, tried, errors.Join(problems...)
}

// same reports whether two states of a CRD have one spec. That of a cluster has more than was written.
func same(old, now *project.CRD) bool {
	return old.CustomResourceDefinition == now.CustomResourceDefinition || apiequality.Semantic.DeepEqual(defaulted(old), defaulted(now))
}

// defaulted is the specification with the API server's defaults, which are none of its schemas: these are shared.
func defaulted(crd *project.CRD) apiextv1.CustomResourceDefinitionSpec {
	c := *crd.CustomResourceDefinition
	c.Spec.Conversion = c.Spec.Conversion.DeepCopy()
	c.Spec.Versions = slices.Clone(c.Spec.Versions)
	apiextv1.SetObjectDefaults_CustomResourceDefinition(&c)
	return c.Spec
}

// crd compares two states of a CRD.
func (all *findings) crd(old, now *project.CRD) {
	all.onceStored(old, now)
	all.names(old, now)
	all.conversion(old, now)
	all.kept(old, now)
	for i := range old.Spec.Versions {
		was := &old.Spec.Versions[i]
		is := now.Version(was.Name)
		v := &version{all: all, old: old, now: now, was: was, is: is}
		v.inGo = now.HasTypes(was.Name)
		if !v.served() {
			continue
		}
		if !v.unserved() {
			v.subresources()
			v.shown()
		}
		if before, after := schemaOf(was), schemaOf(is); before != nil && after != nil {
			v.compare(nil, before, after)
		}
	}
	if now.Version(storageOf(old)) != nil && old.Version(storageOf(now)) == nil {
		at := now.InManifest(versionKeys(now, storageOf(now), "storage")...)
		all.add(rule.New("storage-moved-with-new-version", at, now.Subject(storageOf(now)),
			"%s is new and already the storage version; before, objects were stored as %s", storageOf(now), storageOf(old)))
	}
}

// removedCRD is the finding of a CRD that is gone.
func removedCRD(old *project.CRD, at rule.Place) rule.Finding {
	f := rule.New("crd-removed", at, old.Name, "the CRD %s was removed; with it go all objects of the kind %s", old.Name, old.Spec.Names.Kind)
	f.Severity = rule.Note
	for _, v := range old.Spec.Versions {
		if v.Served && !isAlpha(v.Name) {
			f.Severity = rule.Warning
		}
	}
	return f
}

// findings collects what is found, and merges what has one cause.
type findings struct{ list []entry }

// entry is a finding, with what it is merged by.
type entry struct {
	rule.Finding
	scope   string // findings of one scope that say the same are one: a place in the source, or a CRD without source
	foreign string // the type of another module whose field it is about
	crd     string // the name of the CRD
	version string
	field   string // the path of that field
	// says is the message without the field's name, and proof what objects add: of a marker of a Go type, which several fields may have, it is one finding.
	says, proof string
	rule        string // what the API server says of an object that breaks the rule of CEL; empty if it decides that itself
	wider       bool   // it takes more, and nothing less
}

func (all *findings) add(f rule.Finding) {
	all.list = append(all.list, entry{Finding: f, scope: f.Subject})
}

// merged are the findings, one for each cause: a Go type that several versions or fields share changed once, and so did a type of another module.
func (all *findings) merged() (merged []rule.Finding) {
	type key struct{ rule, scope, what string }
	groups := map[key][]entry{}
	var order []key
	for _, e := range all.list {
		k := key{e.Rule.ID, e.scope, e.Message}
		switch {
		case e.foreign != "":
			k.what = "\x00" + e.foreign
		case e.says != "":
			k.what = e.says
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], e)
	}
	for _, k := range order {
		group := groups[k]
		// Of equals, the one with objects that prove it.
		worst := slices.MaxFunc(group, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(len(a.Message), len(b.Message)))
		})
		f := worst.Finding
		if fields := distinct(group, func(e entry) string { return e.field }); worst.foreign != "" && len(fields) > 1 {
			f.Message += fmt.Sprintf(" (and %s of the type %s)", text.Count(len(fields)-1, "more field", "more fields"), worst.foreign)
		}
		if labels := distinct(group, func(e entry) string { return strings.TrimSuffix(e.Message, e.says+e.proof) }); worst.says != "" && len(labels) > 1 {
			f.Message += fmt.Sprintf(" (and %s with the marker)", text.Count(len(labels)-1, "more field", "more fields"))
		}
		merged = append(merged, f)
	}
	return merged
}
