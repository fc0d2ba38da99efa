package config

import (
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// validate gathers every problem of a file, so that it is mended in one go.
func (p *Project) validate(name string) error {
	var problems []error
	report := func(field, format string, args ...any) {
		problems = append(problems, &fieldError{name: name, field: field, text: fmt.Sprintf(format, args...)})
	}
	local := func(field, value string) {
		if strings.ContainsFunc(value, unicode.IsControl) {
			report(field, "%q has a control character; take it out", value)
		} else if value != "" && (!filepath.IsLocal(filepath.FromSlash(value)) || strings.Contains(value, `\`)) {
			report(field, "%q must be a path below the folder of %s, with forward slashes", value, name)
		} else if slices.ContainsFunc(strings.Split(value, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) {
			report(field, "%q is in git's own directory; name one of the project", value)
		}
	}

	local("boilerplate", p.Boilerplate)
	local("crds.dir", p.CRDs.Dir)
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
	local("rbac.dir", p.RBAC.Dir)
	local("openapi.dir", p.OpenAPI.Dir)
	local("openapi.report", p.OpenAPI.Report)
	local("controller.package", p.Controller.Package)
	for i, file := range p.Controller.Manifests {
		local(fmt.Sprintf("controller.manifests[%d]", i), file)
	}
	for i, file := range p.Controller.Samples {
		local(fmt.Sprintf("controller.samples[%d]", i), file)
	}
	if port := p.Controller.WebhookPort; port < 0 || port > 65535 {
		report("controller.webhookPort", "%d is no port; they end at 65535", port)
	}
	for _, name := range p.Generators {
		if !slices.Contains(Helpers, name) {
			report("generators", "%q is not known; those that write beside the types are %s", name, strings.Join(Helpers, ", "))
		}
	}
	if v := p.CodeGeneratorVersion; v != "" && (!semver.IsValid(v) || semver.Canonical(v) != v) {
		report("codeGeneratorVersion", "%q must be a version of k8s.io/code-generator, for example v0.35.2", v)
	}
	importPaths := func(field string, paths []string) {
		for _, path := range paths {
			if err := module.CheckImportPath(path); err != nil {
				report(field, "%v", err)
			}
		}
	}
	importPaths("conversion.extraPeers", p.Conversion.ExtraPeers)
	importPaths("validation.readOnlyPackages", p.Validation.ReadOnlyPackages)
	importPaths("openapi.extraPackages", p.OpenAPI.ExtraPackages)
	for i, dir := range p.Exclude {
		local(fmt.Sprintf("exclude[%d]", i), dir)
	}
	for _, name := range slices.Sorted(maps.Keys(p.ExcludeFrom)) {
		if !slices.Contains(Helpers, name) {
			report("excludeFrom", "%q is not known; those that write beside the types are %s", name, strings.Join(Helpers, ", "))
		}
		for i, dir := range p.ExcludeFrom[name] {
			local(fmt.Sprintf("excludeFrom.%s[%d]", name, i), dir)
		}
	}
	p.validateLoop(report)
	if len(p.APIs) == 0 && !p.Loop.IsSet() { // a loop needs no Go types
		report("apis", "is empty; name the folders of the API packages, for example apis: [pkg/apis]")
	}
	for i, api := range p.APIs {
		local(fmt.Sprintf("apis[%d]", i), api)
	}
	seen := map[string]int{}
	for i, c := range p.Clients {
		field := func(f string) string { return fmt.Sprintf("clients[%d].%s", i, f) }
		if c.Dir == "" {
			report(field("dir"), "is empty; name the folder of the client tree, for example dir: pkg/client")
		}
		local(field("dir"), c.Dir)
		if j, ok := seen[c.Dir]; ok {
			report(field("dir"), "%q is the folder of clients[%d] too; two trees need two folders", c.Dir, j)
		}
		seen[c.Dir] = i
		local(field("oneInputAPI"), c.OneInputAPI)
		for j, api := range c.APIs {
			if !slices.Contains(p.APIs, api) {
				report(fmt.Sprintf("clients[%d].apis[%d]", i, j), "%q is not among apis", api)
			}
		}
		if c.Package != "" {
			if err := module.CheckImportPath(c.Package); err != nil {
				report(field("package"), "%v", err)
			}
		}
		importPaths(field("packages"), c.Packages)
		importPaths(field("watchPackages"), c.WatchPackages)
		importPaths(field("applyConfigurationPackages"), c.ApplyConfigurationPackages)
		if c.ApplyConfigurationOpenAPISchema != BuildSchema {
			local(field("applyConfigurationOpenAPISchema"), c.ApplyConfigurationOpenAPISchema)
		}
		for f, folder := range map[string]string{
			"clientsetName": c.ClientsetName, "versionedName": c.VersionedName, "listersName": c.ListersName,
			"informersName": c.InformersName, "applyConfigurationName": c.ApplyConfigurationName,
		} {
			// Mostly one name; some trees keep a part deeper, and some their clientset at the top.
			if folder != "" && (path.Clean(folder) != folder || !filepath.IsLocal(filepath.FromSlash(folder)) || strings.Contains(folder, `\`)) {
				report(field(f), "%q must be the name of a folder in the tree", folder)
			}
		}
		if name := c.VersionedName; name != "" && !token.IsIdentifier(name) {
			report(field("versionedName"), "%q must be the name of a Go package, for example versioned", name)
		}
		if name := c.ApplyConfigurationName; name != "" && !token.IsIdentifier(path.Base(name)) {
			report(field("applyConfigurationName"), "%q must end in the name of a Go package, for example applyconfiguration", name)
		}
		for kind, plural := range c.PluralExceptions {
			if !token.IsIdentifier(kind) || !token.IsIdentifier(plural) {
				report(field("pluralExceptions"), "%q: %q must be two Go identifiers, for example Endpoints: Endpoints", kind, plural)
			}
		}
		for typ := range c.ApplyConfigurationExternals {
			if i := strings.LastIndex(typ, "."); i <= strings.LastIndex(typ, "/") {
				report(field("applyConfigurationExternals"), "%q must be an import path, a dot and the name of a type", typ)
			}
		}
	}
	// Maps above are walked in random order; the error must not depend on it.
	sort.SliceStable(problems, func(i, j int) bool { return problems[i].Error() < problems[j].Error() })
	return errors.Join(problems...)
}
