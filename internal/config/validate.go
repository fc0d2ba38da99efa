// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"sort"
	"strings"
)

// validate reports every problem of a file, so that all are fixed at once.
func (p *Project) validate(name string) error {
	var problems []error
	report := func(field, format string, args ...any) {
		problems = append(problems, &fieldError{name: name, field: field, text: fmt.Sprintf(format, args...)})
	}
	p.each(func(s Setting, of *Project) { s.check(of, report) })
	p.Loop.checkTogether(report)
	if err := local(p.Loop.Template); err != nil { // a flag may name one elsewhere
		report("loop.template", "%v", err)
	}
	for i, w := range p.CRDs.ConversionWebhooks {
		field := fmt.Sprintf("crds.conversionWebhooks[%d]", i)
		if !strings.Contains(w.CRD, ".") {
			report(field+".crd", "%q must be the name of a CRD, for example crontabs.stable.example.com", w.CRD)
		}
		if w.Service.Namespace == "" || w.Service.Name == "" {
			report(field+".service", "must have a namespace and a name")
		}
		if path := w.Service.Path; path != "" && !strings.HasPrefix(path, "/") {
			report(field+".service.path", "%q must begin with a slash", path)
		}
	}
	if p.Boilerplate != "" && p.BoilerplateText != "" {
		report("boilerplateText", "has no effect next to boilerplate; remove one of them")
	}
	for _, dir := range slices.Sorted(maps.Keys(p.Boilerplates)) {
		if err := cmp.Or(local(dir), local(p.Boilerplates[dir])); err != nil {
			report("boilerplates."+dir, "%v", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.ExcludeFrom)) {
		if err := helper(name); err != nil && name != "openapi" {
			report("excludeFrom", "%v, and openapi", err)
		}
		for i, dir := range p.ExcludeFrom[name] {
			if err := local(dir); err != nil {
				report(fmt.Sprintf("excludeFrom.%s[%d]", name, i), "%v", err)
			}
		}
	}
	p.validateControllerGen(report)
	external := slices.ContainsFunc(p.Clients, func(c Client) bool { return len(c.Packages) > 0 })
	if len(p.APIs) == 0 && !p.Loop.IsSet() && !p.Detects() && len(p.ControllerGen.Calls)+len(p.OpenAPI.Calls) == 0 && !external { // a loop needs no Go types, and calls name their own
		report("apis", "is empty; name the directories of the API packages, for example apis: [pkg/apis]")
	}
	if p.OpenAPI.UpdateReport && p.OpenAPI.Report == "" {
		report("openapi.updateReport", "has no effect without openapi.report; name the file of the known violations there")
	}
	p.OpenAPI.check(report)
	p.validateClients(report)
	// Maps above are walked in random order; the error must not depend on it.
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].Error() < problems[j].Error() })
	return errors.Join(problems...)
}

// validateClients checks settings of client trees that depend on each other, and those that are not text.
func (p *Project) validateClients(report func(field, format string, args ...any)) {
	seen := map[string]int{}
	for i, c := range p.Clients {
		field := func(f string) string { return fmt.Sprintf("clients[%d].%s", i, f) }
		if c.Dir == "" {
			report(field("dir"), "is empty; name the directory of the client tree, for example dir: pkg/client")
		}
		if j, ok := seen[c.Dir]; ok {
			report(field("dir"), "%q is the directory of clients[%d] too; two trees need two directories", c.Dir, j)
		}
		seen[c.Dir] = i
		for j, api := range c.APIs {
			if !slices.Contains(p.APIs, api) {
				report(fmt.Sprintf("clients[%d].apis[%d]", i, j), "%q is not among apis", api)
			}
		}
		for kind, plural := range c.PluralExceptions {
			if !token.IsIdentifier(kind) || !token.IsIdentifier(plural) {
				report(field("pluralExceptions"), "%q: %q must be two Go identifiers, for example Endpoints: Endpoints", kind, plural)
			}
		}
		if c.ApplyConfiguration && c.ApplyConfigurationImport != "" {
			report(field("applyConfigurationImport"), "is for those of another generator; remove one of it and applyConfiguration")
		}
		for typ := range c.ApplyConfigurationExternals {
			if i := strings.LastIndex(typ, "."); i <= strings.LastIndex(typ, "/") {
				report(field("applyConfigurationExternals"), "%q must be an import path, a dot and the name of a type", typ)
			}
		}
	}
}
