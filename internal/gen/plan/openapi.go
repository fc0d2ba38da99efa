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
		b.Areas = append(b.Areas, Area{Dir: o.Dir, Generator: "openapi-gen", File: config.OpenAPIFile})
		pkgs = slices.DeleteFunc(slices.Clone(pkgs), func(pkg scan.Package) bool { return slices.Contains(b.settings.ExcludeFrom["openapi"], pkg.Dir) })
		if inputs := slices.Concat(o.ExtraPackages, each(pkgs, asking(b.openAPITag()), pathOf)); len(inputs) > 0 {
			err := b.define(config.OpenAPICall{Dir: o.Dir, Package: o.Package, Packages: slices.Concat(b.openAPIBase(), inputs)})
			if err != nil {
				return err
			}
		}
	}
	for _, c := range o.Calls {
		b.Areas = append(b.Areas, Area{Dir: c.Dir, Generator: "openapi-gen", File: cmp.Or(c.File, config.OpenAPIFile)})
		b.MayLoad = append(b.MayLoad, c.Packages...)
		if err := b.define(c); err != nil {
			return err
		}
	}
	return nil
}

// define adds a run of openapi-gen.
func (b *planner) define(c config.OpenAPICall) error {
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
		for _, api := range b.settings.APIs {
			if area := (Area{Dir: api, Generator: "openapi-gen", File: name}); !slices.Contains(b.Areas, area) {
				b.Areas = append(b.Areas, area)
			}
		}
	}
	b.add("openapi-gen", args, c.Packages)
	return nil
}
