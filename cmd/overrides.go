package cmd

import (
	"fmt"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/config"
)

// over puts the flags that were given in the place of what p says. Paths of flags are relative to the folder base.
func (f *settings) over(p *config.Project, root, base string) error {
	if err := f.relative(root, base); err != nil {
		return usageError{err}
	}
	replace := func(flag string, do func()) {
		if f.set.Changed(flag) {
			do()
		}
	}
	flag := f.flag
	replace("api-dir", func() {
		p.APIs = flag.APIs
		for i := range p.Clients {
			p.Clients[i].APIs, p.Clients[i].Packages = nil, nil
		}
	})
	replace("exclude-dir", func() { p.Exclude = flag.Exclude })
	replace("boilerplate", func() { p.Boilerplate = flag.Boilerplate })
	replace("generators", func() { p.Generators = flag.Generators })
	replace("extra-peer-dir", func() { p.Conversion = flag.Conversion })
	replace("readonly-pkg", func() { p.Validation = flag.Validation })
	replace("lint-rules", func() { p.LintRules = flag.LintRules })
	replace("code-generator-version", func() { p.CodeGeneratorVersion = flag.CodeGeneratorVersion })
	replace("openapi-dir", func() { p.OpenAPI.Dir = flag.OpenAPI.Dir })
	replace("openapi-pkg", func() { p.OpenAPI.Package = flag.OpenAPI.Package })
	replace("openapi-extra-pkgs", func() { p.OpenAPI.ExtraPackages = flag.OpenAPI.ExtraPackages })
	replace("openapi-report", func() { p.OpenAPI.Report = flag.OpenAPI.Report })
	replace("openapi-model-name-file", func() { p.OpenAPI.ModelNameFile = flag.OpenAPI.ModelNameFile })
	replace("crd-dir", func() { p.CRDs.Dir = flag.CRDs.Dir })
	replace("rbac-dir", func() { p.RBAC.Dir = flag.RBAC.Dir })
	replace("rbac-role-name", func() { p.RBAC.RoleName = flag.RBAC.RoleName })
	return f.overClients(p)
}

// flagFields are the settings that the flags set, as crdctl.yaml names them.
var flagFields = map[string]string{
	"api-dir": "apis", "exclude-dir": "exclude", "boilerplate": "boilerplate", "generators": "generators",
	"extra-peer-dir": "conversion.extraPeers", "readonly-pkg": "validation.readOnlyPackages", "lint-rules": "lintRules",
	"code-generator-version": "codeGeneratorVersion", "client-dir": "clients[0].dir", "client-pkg": "clients[0].package",
	"one-input-api": "clients[0].oneInputAPI", "with-watch": "clients[0].watch", "with-applyconfig": "clients[0].applyConfiguration",
	"applyconfig-name": "clients[0].applyConfigurationName", "applyconfig-externals": "clients[0].applyConfigurationExternals",
	"applyconfig-openapi-schema": "clients[0].applyConfigurationOpenAPISchema", "clientset-name": "clients[0].clientsetName",
	"versioned-name": "clients[0].versionedName", "listers-name": "clients[0].listersName", "informers-name": "clients[0].informersName",
	"plural-exceptions": "clients[0].pluralExceptions", "prefers-protobuf": "clients[0].prefersProtobuf",
	"openapi-dir": "openapi.dir", "openapi-pkg": "openapi.package", "openapi-extra-pkgs": "openapi.extraPackages",
	"openapi-report": "openapi.report", "openapi-model-name-file": "openapi.modelNameFile",
	"crd-dir": "crds.dir", "rbac-dir": "rbac.dir", "rbac-role-name": "rbac.roleName",
}

// clientFlags are those that say something of a client tree.
var clientFlags = []string{
	"client-pkg", "one-input-api", "with-watch", "with-applyconfig", "applyconfig-name", "applyconfig-externals",
	"applyconfig-openapi-schema", "clientset-name", "versioned-name", "listers-name", "informers-name", "plural-exceptions", "prefers-protobuf",
}

func (f *settings) overClients(p *config.Project) error {
	if f.set.Changed("client-dir") {
		p.Clients = []config.Client{f.client}
		return nil
	}
	if !f.given(clientFlags...) {
		return nil
	}
	if len(p.Clients) != 1 {
		return usageError{fmt.Errorf("there are %d client trees; say which one the flags are for with --client-dir", len(p.Clients))}
	}
	c, flag := &p.Clients[0], f.client
	for name, do := range map[string]func(){
		"client-pkg":                 func() { c.Package = flag.Package },
		"one-input-api":              func() { c.OneInputAPI, c.Packages = flag.OneInputAPI, nil },
		"with-watch":                 func() { c.Watch = flag.Watch },
		"with-applyconfig":           func() { c.ApplyConfiguration = flag.ApplyConfiguration },
		"applyconfig-name":           func() { c.ApplyConfigurationName = flag.ApplyConfigurationName },
		"applyconfig-externals":      func() { c.ApplyConfigurationExternals = flag.ApplyConfigurationExternals },
		"applyconfig-openapi-schema": func() { c.ApplyConfigurationOpenAPISchema = flag.ApplyConfigurationOpenAPISchema },
		"clientset-name":             func() { c.ClientsetName = flag.ClientsetName },
		"versioned-name":             func() { c.VersionedName = flag.VersionedName },
		"listers-name":               func() { c.ListersName = flag.ListersName },
		"informers-name":             func() { c.InformersName = flag.InformersName },
		"plural-exceptions":          func() { c.PluralExceptions = flag.PluralExceptions },
		"prefers-protobuf":           func() { c.PrefersProtobuf = flag.PrefersProtobuf },
	} {
		if f.set.Changed(name) {
			do()
		}
	}
	return nil
}

// relative makes the paths of flags relative to the root, as those of crdctl.yaml are.
func (f *settings) relative(root, base string) error {
	p, c := &f.flag, &f.client
	paths := []*string{&p.Boilerplate, &p.OpenAPI.Dir, &p.OpenAPI.Report, &p.CRDs.Dir, &p.RBAC.Dir, &c.Dir}
	if c.ApplyConfigurationOpenAPISchema != config.BuildSchema {
		paths = append(paths, &c.ApplyConfigurationOpenAPISchema)
	}
	for i := range p.APIs {
		paths = append(paths, &p.APIs[i])
	}
	for i := range p.Exclude {
		paths = append(paths, &p.Exclude[i])
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		abs := *path
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(base, abs)
		}
		rel, err := filepath.Rel(root, abs)
		if err != nil || !filepath.IsLocal(rel) {
			return fmt.Errorf("%s is not below the project's folder %s; give that folder with --dir", *path, root)
		}
		*path = filepath.ToSlash(rel)
	}
	return nil
}
