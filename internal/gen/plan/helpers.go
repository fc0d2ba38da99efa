package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/scan"
)

// Names are the short names of all generators, in the order in which they run.
var Names = append(slices.Clone(config.Helpers), "openapi", "applyconfiguration", "client", "lister", "informer", "crd", "rbac")

// helperFiles are the files that the generators next to the types write, by their short names.
var helperFiles = map[string]string{
	"deepcopy":             "zz_generated.deepcopy.go",
	"validation":           "zz_generated.validations.go",
	"defaulter":            "zz_generated.defaults.go",
	"conversion":           "zz_generated.conversion.go",
	"register":             "zz_generated.register.go",
	"prerelease-lifecycle": "zz_generated.prerelease-lifecycle.go",
}

// addHelpers adds the generators that write next to the types below a directory, as gen_helpers and gen_register of
// kube_codegen.sh do: once for each folder.
func (b *planner) addHelpers(api string, pkgs []scan.Package) {
	for _, name := range config.Helpers {
		if !b.wants(name) || !slices.Contains(b.settings.Generators, name) || name == "validation" && !b.since(hasValidation) {
			continue
		}
		args := []string{"--output-file", helperFiles[name]}
		switch name {
		case "conversion":
			args = append(args, flags("--extra-peer-dirs", b.settings.Conversion.ExtraPeers)...)
		case "validation":
			args = append(args, b.readOnly()...)
		}
		ours := slices.DeleteFunc(slices.Clone(pkgs), func(pkg scan.Package) bool {
			return !pkg.Asks[name] || slices.Contains(b.settings.ExcludeFrom[name], pkg.Dir) || b.others(pkg, name)
		})
		b.add(name+"-gen", append(args, lint(b.settings.LintRules)...), each(ours, asking(name), pathOf))
		b.Areas = append(b.Areas, Area{Dir: api, Generator: name + "-gen", File: helperFiles[name]})
	}
	b.MayLoad = append(b.MayLoad, b.settings.Conversion.ExtraPeers...)
	if slices.ContainsFunc(b.Units, func(g Unit) bool { return g.Name == "conversion-gen" }) {
		b.MayLoad = append(b.MayLoad, codegen.ConversionPeers...) // unless they are loaded at once, everything runs twice
	}
	if slices.ContainsFunc(b.Units, func(g Unit) bool { return g.Name == "validation-gen" }) {
		b.MayLoad = append(b.MayLoad, b.settings.Validation.ReadOnlyPackages...)
	}
}

// others reports whether another tool made the file that a generator would write, which is then that tool's to keep where
// the tree is the configuration. Where settings say that the generator runs, the tags decide, as for upstream.
func (b *planner) others(pkg scan.Package, name string) bool {
	if !b.Discovered {
		return false
	}
	file := path.Join(pkg.Dir, helperFiles[name])
	if !b.source.MadeByOthers(file, name+"-gen") {
		return false
	}
	b.notef("%s: another tool made it, and keeps it; delete it to have it made by %s-gen", file, name)
	return true
}

func lint(rules []string) []string {
	if len(rules) == 0 {
		return nil
	}
	return []string{"--lint-rules", strings.Join(rules, ",")}
}

const (
	openAPIFile = "zz_generated.openapi.go"
	// ReportFile is where openapi-gen is told to write its report. Nothing is ever written there.
	ReportFile = ".crdctl-report"
)

// addOpenAPI adds openapi-gen, as gen_openapi does.
func (b *planner) addOpenAPI(pkgs []scan.Package) error {
	o := b.settings.OpenAPI
	if o.Dir == "" || !b.wants("openapi") {
		return nil
	}
	b.Areas = append(b.Areas, Area{Dir: o.Dir, Generator: "openapi-gen", File: openAPIFile})
	pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(pkg scan.Package) bool { return slices.Contains(b.settings.ExcludeFrom["openapi"], pkg.Dir) })
	inputs := slices.Concat(o.ExtraPackages, each(pkgs, asking(b.openAPITag()), pathOf))
	if len(inputs) == 0 {
		return nil
	}
	pkg, err := b.packageOf(o.Dir, o.Package)
	if err != nil {
		return err
	}
	args := []string{
		"--output-file", openAPIFile, "--output-dir", b.abs(o.Dir), "--output-pkg", pkg, "--report-filename", b.abs(ReportFile),
	}
	args = append(args, b.readOnly()...)
	if o.ModelNameFile != "" {
		args = append(args, "--output-model-name-file", o.ModelNameFile)
		for _, api := range b.settings.APIs {
			b.Areas = append(b.Areas, Area{Dir: api, Generator: "openapi-gen", File: o.ModelNameFile})
		}
	}
	b.add("openapi-gen", args, slices.Concat(b.openAPIBase(), inputs))
	return nil
}
