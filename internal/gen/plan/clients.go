// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
	"github.com/crdctl/crdctl/internal/gen/scan"
)

// addClient adds the generators of a client tree, in the order of gen_client of kube_codegen.sh.
func (b *planner) addClient(c config.Client) error {
	pkg, err := b.packageOf(c.Dir, c.Package)
	if err != nil {
		return err
	}
	apis, err := b.clientAPIs(c)
	if err != nil {
		return err
	}
	b.ClientTrees = append(b.ClientTrees, markerlint.ClientTree{
		Dir:              c.Dir,
		APIs:             each(b.apis, func(a scan.Package) bool { return slices.Contains(apis, a.ImportPath) }, dirOf),
		PluralExceptions: c.PluralExceptions,
	})
	// All four directories are the generators', whether the settings ask for them or no longer do.
	// Two may be one.
	for name, dir := range map[string]string{
		"client": c.ClientsetName, "applyconfiguration": c.ApplyConfigurationName, "lister": c.ListersName, "informer": c.InformersName,
	} {
		if b.wants(name) {
			b.Areas = append(b.Areas, Area{Dir: path.Join(c.Dir, dir), Generator: name + "-gen", KeepsLeftOver: c.KeepLeftOver})
		}
	}
	out := func(dir string) []string {
		return []string{"--output-dir", b.abs(path.Join(c.Dir, dir)), "--output-pkg", path.Join(pkg, dir)}
	}
	// A generator that settings do not ask for, or that has no packages, does not run, as upstream; what is left over of it is removed.
	add := func(name string, flags, inputs []string) {
		if b.wants(name) {
			b.add(name+"-gen", flags, inputs)
		}
	}
	plurals := []string{"--plural-exceptions", strings.Join(pairs(c.PluralExceptions), ",")}
	lint := lint(c.LintRules)
	applyPackage := c.ApplyConfigurationImport
	if c.ApplyConfiguration {
		applyPackage = path.Join(pkg, c.ApplyConfigurationName)
		schema, err := b.schemaFile(c)
		if err != nil {
			return err
		}
		add("applyconfiguration", slices.Concat(out(c.ApplyConfigurationName), []string{
			"--external-applyconfigurations", strings.Join(pairs(c.ApplyConfigurationExternals), ","),
			"--openapi-schema", schema,
		}, lint), or(c.ApplyConfigurationPackages, sorted(apis)))
	}
	versioned := path.Join(pkg, c.ClientsetName, c.VersionedName)
	var protobuf []string
	if c.PrefersProtobuf {
		protobuf = []string{"--prefers-protobuf"} // not known before v0.32, so not given without need
	}
	add("client", slices.Concat(out(c.ClientsetName), plurals, lint, protobuf, []string{
		"--clientset-name", c.VersionedName, "--apply-configuration-package", applyPackage,
		fmt.Sprintf("--fake-clientset=%v", *c.FakeClientset), "--input-base", "",
	}, flags("--input", apis)), sorted(apis))
	if !c.Watch {
		return nil
	}
	watched := or(c.WatchPackages, sorted(apis))
	add("lister", slices.Concat(out(c.ListersName), plurals, lint), watched)
	add("informer", slices.Concat(out(c.InformersName), plurals, lint, []string{
		"--versioned-clientset-package", versioned, "--listers-package", path.Join(pkg, c.ListersName),
		fmt.Sprintf("--single-directory=%v", c.SingleDirectory),
	}), watched)
	return nil
}

// clientAPIs are the import paths of the packages that a tree has clients for, in the order of the clientset.
func (b *planner) clientAPIs(c config.Client) ([]string, error) {
	if len(c.Packages) > 0 {
		return c.Packages, nil
	}
	var all []string
	for _, api := range c.APIs {
		pkgs, err := b.source.Below(path.Join(api, c.OneInputAPI))
		if err != nil {
			return nil, err
		}
		for _, p := range each(pkgs, func(a scan.Package) bool { return a.Asks["client"] && a.Versioned() }, pathOf) {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// schemaFile is the OpenAPI document of the apply configurations.
func (b *planner) schemaFile(c config.Client) (string, error) {
	switch c.ApplyConfigurationOpenAPISchema {
	case "":
		return "", nil
	case config.BuildSchema:
		return codegen.BuiltSchema, nil
	case config.BuildReversedSchema:
		return codegen.BuiltReversedSchema, nil
	case config.BuildTaggedSchema:
		return codegen.BuiltTaggedSchema, nil
	}
	b.Reads = append(b.Reads, c.ApplyConfigurationOpenAPISchema)
	if !b.source.Exists(c.ApplyConfigurationOpenAPISchema) {
		return "", fmt.Errorf("applyConfigurationOpenAPISchema: %s does not exist; create the file, or set it to %q to generate it", c.ApplyConfigurationOpenAPISchema, config.BuildSchema)
	}
	return b.abs(c.ApplyConfigurationOpenAPISchema), nil
}

// pairs turns a map into the sorted key:value list of upstream's flags.
func pairs(m map[string]string) []string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+":"+m[k])
	}
	return all
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }

func or(a, b []string) []string {
	if len(a) > 0 {
		return a
	}
	return b
}
