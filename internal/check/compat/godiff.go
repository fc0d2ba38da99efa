// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// compareGo returns what the change of a Go package breaks for those who import it. The files have their names as keys; a package without any went. Where a finding about the
// CRDs has the same cause, there is none here. Where a file does not parse, nothing is known of what it declares: that is an error of the new
// state, and a note about the old one.
func compareGo(dir string, old, now map[string][]byte, known []rule.Finding) (found []rule.Finding, note string, err error) {
	is, err := parseGo(dir, now)
	if err != nil {
		return nil, "", fmt.Errorf("compare the Go package %s: %w", dir, err)
	}
	was, err := parseGo(dir, old)
	if err != nil {
		return nil, fmt.Sprintf("the Go package %s was not compared: its older state: %s", dir, err), nil
	}
	d := goDiff{old: was, now: is, known: known, explained: map[string]bool{}}
	if len(d.now.files) == 0 {
		d.gone()
		return d.found, "", nil
	}
	for _, name := range sortedKeys(d.old.types) {
		if was, is := d.old.types[name], d.now.types[name]; is != nil && ast.IsExported(name) {
			d.compare(name, was, is)
		}
	}
	d.types()
	d.consts()
	return d.found, "", nil
}

// gone finds that a package with exported types went; its types need no findings of their own.
func (d *goDiff) gone() {
	if !slices.ContainsFunc(sortedKeys(d.old.types), ast.IsExported) {
		return
	}
	first := sortedKeys(d.old.files)[0]
	d.add("go-package-removed", rule.Place{File: first, Line: d.old.files[first]}, "", "the Go package %s was removed", d.old.dir)
}

type goDiff struct {
	old, now  *goPackage
	known     []rule.Finding
	found     []rule.Finding
	explained map[string]bool // types that went with something that was found
}

func (d *goDiff) add(id string, at rule.Place, name, format string, args ...any) {
	f := rule.New(id, at, strings.TrimSuffix(d.now.dir+"."+name, "."), format, args...)
	if isAlpha(path.Base(d.now.dir)) {
		f.Severity = rule.Note
	}
	d.found = append(d.found, f)
}

// compare compares the fields of a type, or what else it is.
func (d *goDiff) compare(name string, was, is *goType) {
	if is.alias {
		d.explain(was.uses)
		return // it is another name for what most likely has all that it had
	}
	if was.is != is.is {
		d.explain(was.uses)
		if !d.isKnown(is.at, "type-changed", "") {
			d.add("go-type-changed", is.at, name, "%s", changed(name, was.is, is.is))
		}
		return
	}
	for _, field := range sortedKeys(was.fields) {
		before := was.fields[field]
		after, kept := is.fields[field]
		switch {
		case !ast.IsExported(field):
		case !kept:
			d.lost(name, field, before, is)
		case before.typ == after.typ:
		case strings.TrimPrefix(before.typ, "*") == strings.TrimPrefix(after.typ, "*"):
			d.add("go-pointer-changed", after.at, name+"."+field, "the type of the field %s changed from %s to %s", field, short(before.typ), short(after.typ))
		default:
			d.explain(before.uses)
			if !d.isKnown(after.at, "type-changed", "") {
				d.add("go-type-changed", after.at, name+"."+field, "the type of the field %s changed from %s to %s", field, short(before.typ), short(after.typ))
			}
		}
	}
}

// lost finds a field that went, unless its JSON field went, too.
func (d *goDiff) lost(name, field string, before goField, is *goType) {
	d.explain(before.uses)
	if before.json != "" {
		for _, other := range sortedKeys(is.fields) {
			if after := is.fields[other]; after.json == before.json && ast.IsExported(other) {
				d.add("go-field-renamed", after.at, name+"."+field, "the field %s of %s is now named %s", field, name, other)
				return
			}
		}
	}
	if d.isKnown(is.at, "field-dropped", before.json) {
		return
	}
	d.add("go-field-removed", is.at, name+"."+field, "the field %s of %s was removed", field, name)
}

// isKnown reports whether a finding about the CRDs has the same cause.
func (d *goDiff) isKnown(at rule.Place, id, json string) bool {
	for _, f := range d.known {
		if f.Rule.ID == id && f.Place == at && (json == "" || strings.HasPrefix(f.Message, json+":") || strings.HasPrefix(f.Message, json+"[")) {
			return true
		}
	}
	return false
}

// explain takes types to have gone with what was made of them.
func (d *goDiff) explain(uses map[string]bool) {
	for name := range uses {
		if t := d.old.types[name]; t != nil && d.now.types[name] == nil && !d.explained[name] {
			d.explained[name] = true
			d.explain(t.uses)
		}
	}
}

// types finds types that went for another reason than that the only field of the type did.
func (d *goDiff) types() {
	var gone []string
	for _, name := range sortedKeys(d.old.types) {
		if d.now.types[name] == nil && ast.IsExported(name) {
			gone = append(gone, name)
		}
	}
	used := map[string]bool{}
	for _, name := range gone {
		for other := range d.old.types[name].uses {
			used[other] = used[other] || other != name
		}
	}
	for _, name := range gone {
		if list := d.old.types[name+"List"]; d.explained[name] || used[name] && (list == nil || d.now.types[name+"List"] != nil) {
			continue
		}
		if strings.HasSuffix(name, "List") && d.old.types[strings.TrimSuffix(name, "List")] != nil && d.now.types[strings.TrimSuffix(name, "List")] == nil {
			continue // it went with the kind
		}
		d.add("go-type-removed", d.clause(d.old.types[name].at.File), name, "the type %s was removed", name)
	}
}

// consts finds constants that went. One whose value went from an enum is found there, one of a type that went with that.
func (d *goDiff) consts() {
	for _, name := range sortedKeys(d.old.consts) {
		was := d.old.consts[name]
		if _, kept := d.now.consts[name]; kept {
			continue
		}
		enum := false
		for _, f := range d.known {
			enum = enum || f.Rule.ID == "enum-removed" && slices.Contains(f.Values, was.value)
		}
		if !enum {
			d.add("go-const-removed", d.clause(was.file), name, "the constant %s was removed", name)
		}
	}
}

// clause is the place of the package clause in a file, or, if that went, in the first of the package.
func (d *goDiff) clause(file string) rule.Place {
	if line, ok := d.now.files[file]; ok {
		return rule.Place{File: file, Line: line}
	}
	first := sortedKeys(d.now.files)[0]
	return rule.Place{File: first, Line: d.now.files[first]}
}

// changed says how a type changed: of an interface, which methods went and came.
func changed(name, was, is string) string {
	const begin = "interface {\n"
	if !strings.HasPrefix(was, begin) || !strings.HasPrefix(is, begin) {
		return fmt.Sprintf("the type %s changed from %s to %s", name, structOr(was), structOr(is))
	}
	lacks := func(in, of string) (methods []string) {
		for line := range strings.Lines(of) {
			if !strings.Contains(in, line) {
				methods = append(methods, strings.TrimSpace(line))
			}
		}
		return methods
	}
	var parts []string
	if gone := lacks(is, was); len(gone) > 0 {
		parts = append(parts, "it no longer has "+text.Shorten(strings.Join(gone, ", "), 120))
	}
	if added := lacks(was, is); len(added) > 0 {
		parts = append(parts, "it has "+text.Shorten(strings.Join(added, ", "), 120))
	}
	return fmt.Sprintf("the interface %s changed: %s", name, strings.Join(parts, "; "))
}

func structOr(is string) string {
	if is == "" {
		return "a struct"
	}
	return short(is)
}

// short is a type with the last parts of its packages' paths.
func short(typ string) string {
	prefix := typ[:len(typ)-len(strings.TrimLeft(typ, "*[]"))]
	rest := strings.TrimPrefix(typ, prefix)
	if !strings.ContainsAny(rest, "[ ") {
		rest = path.Base(rest)
	}
	return text.Shorten(fmt.Sprint(prefix, rest), 60)
}
