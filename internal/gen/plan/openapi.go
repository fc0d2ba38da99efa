// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/scan"
)

// ReportFile is where openapi-gen is told to write its report. Nothing is ever written there.
const ReportFile = ".crdctl-report"

// addOpenAPI adds openapi-gen, as gen_openapi does, and its other calls.
func (b *planner) addOpenAPI(pkgs []scan.Package) error {
	o := b.settings.OpenAPI
	if !b.wants("openapi") {
		return nil
	}
	if o.Dir != "" {
		asked := slices.DeleteFunc(slices.Clone(pkgs), func(pkg scan.Package) bool { return slices.Contains(b.settings.ExcludeFrom["openapi"], pkg.Dir) })
		c := config.OpenAPICall{Dir: o.Dir, Package: o.Package, Packages: slices.Concat(o.ExtraPackages, each(asked, asking(b.openAPITag()), pathOf))}
		if len(c.Packages) > 0 {
			c.Packages = slices.Concat(b.openAPIBase(), c.Packages)
		}
		if err := b.define(c, b.settings.APIs, false); err != nil {
			return err
		}
	}
	for _, c := range o.Calls {
		b.MayLoad = append(b.MayLoad, c.Packages...)
		named := each(pkgs, func(pkg scan.Package) bool { return slices.Contains(c.Packages, pkg.ImportPath) }, dirOf)
		if err := b.define(c, named, true); err != nil {
			return err
		}
	}
	return nil
}

// define adds a run of openapi-gen. The model names of types are in the directories of dirs, and below them unless these are flat.
func (b *planner) define(c config.OpenAPICall, dirs []string, flat bool) error {
	b.Areas = append(b.Areas, Area{Dir: c.Dir, Generator: "openapi-gen", File: cmp.Or(c.File, config.OpenAPIFile), Flat: true})
	if len(c.Packages) == 0 {
		return nil
	}
	pkg, err := b.packageOf(c.Dir, c.Package)
	if err != nil {
		return err
	}
	args := []string{
		"--output-file", cmp.Or(c.File, config.OpenAPIFile), "--output-dir", b.abs(c.Dir), "--output-pkg", pkg, "--report-filename", b.abs(ReportFile),
	}
	args = append(args, b.readOnlyTypes()...)
	if name := b.settings.OpenAPI.ModelNameFile; name != "" {
		args = append(args, "--output-model-name-file", name)
		for _, dir := range dirs {
			b.Areas = append(b.Areas, Area{Dir: dir, Generator: "openapi-gen", File: name, Flat: flat})
		}
	}
	b.add("openapi-gen", args, c.Packages)
	return nil
}
