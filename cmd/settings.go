package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/workspace"
)

// settings are the flags that say what crdctl.yaml says: those of kube_codegen.sh, under its names. generate, verify and
// adopt have them all. A flag that is given takes the place of what the file, or the discovery, says.
type settings struct {
	set    *pflag.FlagSet
	flag   config.Project
	client config.Client

	externals, plurals []string
}

// settingsFlags registers the flags.
func settingsFlags(set *pflag.FlagSet) *settings {
	f := &settings{set: set}
	p, c := &f.flag, &f.client
	set.StringArrayVar(&p.APIs, "api-dir", nil, "folder of API packages; repeatable")
	set.StringArrayVar(&p.Exclude, "exclude-dir", nil, "folder below the API folders to pass over; repeatable")
	set.StringVar(&p.Boilerplate, "boilerplate", "", "file with the header of generated Go files")
	set.StringSliceVar(&p.Generators, "generators", nil, "generators that write beside the types: "+strings.Join(config.Helpers, ", "))
	set.StringArrayVar(&p.Conversion.ExtraPeers, "extra-peer-dir", nil, "import path of a package with conversion functions; repeatable")
	set.StringSliceVar(&p.Validation.ReadOnlyPackages, "readonly-pkg", nil, "import path of a package whose validations are used, not generated; repeatable")
	set.StringSliceVar(&p.LintRules, "lint-rules", nil, "rules that upstream's generators hold the API packages to, for example known-tags-only")
	set.StringVar(&p.CodeGeneratorVersion, "code-generator-version", "", "version of k8s.io/code-generator (default: what go.mod pins)")

	set.StringVar(&c.Dir, "client-dir", "", "folder of the client tree")
	set.StringVar(&c.Package, "client-pkg", "", "import path of the client tree (default: by its module)")
	set.StringVar(&c.OneInputAPI, "one-input-api", "", "the one folder below the API folders to make clients for")
	set.BoolVar(&c.Watch, "with-watch", false, "make listers and informers")
	set.BoolVar(&c.ApplyConfiguration, "with-applyconfig", false, "make apply configurations")
	set.StringVar(&c.ApplyConfigurationName, "applyconfig-name", "", "folder of the apply configurations (default applyconfiguration)")
	set.StringSliceVar(&f.externals, "applyconfig-externals", nil, "apply configurations of other modules, as package.Type:package,…")
	set.StringVar(&c.ApplyConfigurationOpenAPISchema, "applyconfig-openapi-schema", "", `OpenAPI document that the apply configurations carry: a file, or "build" to make it of the types`)
	set.StringVar(&c.ClientsetName, "clientset-name", "", "folder of the clientsets (default clientset)")
	set.StringVar(&c.VersionedName, "versioned-name", "", "name of the clientset (default versioned)")
	set.StringVar(&c.ListersName, "listers-name", "", "folder of the listers (default listers)")
	set.StringVar(&c.InformersName, "informers-name", "", "folder of the informers (default informers)")
	set.StringSliceVar(&f.plurals, "plural-exceptions", nil, "Go plurals that the usual rules get wrong, as Kind:Plurals,…")
	set.BoolVar(&c.PrefersProtobuf, "prefers-protobuf", false, "make clients that talk protobuf")

	set.StringVar(&p.OpenAPI.Dir, "openapi-dir", "", "folder of the OpenAPI definitions")
	set.StringVar(&p.OpenAPI.Package, "openapi-pkg", "", "import path of that folder (default: by its module)")
	set.StringSliceVar(&p.OpenAPI.ExtraPackages, "openapi-extra-pkgs", nil, "import paths of packages whose types are defined too")
	set.StringVar(&p.OpenAPI.Report, "openapi-report", "", "file of the known violations of the API rules")
	set.StringVar(&p.OpenAPI.ModelNameFile, "openapi-model-name-file", "", "name of the file with the model names, in each package that has any")
	set.StringVar(&p.CRDs.Dir, "crd-dir", "", "folder of the CustomResourceDefinitions")
	set.StringVar(&p.RBAC.Dir, "rbac-dir", "", "folder of the role of the +kubebuilder:rbac markers")
	set.StringVar(&p.RBAC.RoleName, "rbac-role-name", "", "name of that role (default manager-role)")
	return f
}

// given tells whether any of the flags was.
func (f *settings) given(names ...string) bool {
	for _, name := range names {
		if f.set.Changed(name) {
			return true
		}
	}
	return false
}

// located is a project and where its settings come from.
type located struct {
	root     string
	settings *config.Project
	// found is what was discovered, where there is neither crdctl.yaml nor enough said by flags.
	found *detect.Found
}

// project are the root and the settings of the project: those of crdctl.yaml, or where there is none those of the flags,
// or where these say nothing of the layout those that are discovered.
func (f *settings) project(o *options) (*located, error) {
	if err := f.pairs(); err != nil {
		return nil, usageError{err}
	}
	base, err := realPath(o.dir)
	if err != nil {
		return nil, fmt.Errorf("%w; give the project's folder with --dir", err)
	}
	root, err := config.Find(base)
	switch {
	case err == nil:
		var flagErr error
		p, err := config.Load(root, func(p *config.Project) { flagErr = f.over(p, root, base) })
		if cmp.Or(flagErr, err) == nil && len(p.APIs) == 0 { // a project of the built-in loop needs none, but this does
			err = fmt.Errorf("%s: apis: is empty; name the folders of the API packages, for example apis: [pkg/apis]", config.FileName)
		}
		return &located{root: root, settings: p}, cmp.Or(flagErr, err)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case f.given("api-dir"):
		p := &config.Project{}
		if err := f.over(p, base, base); err != nil {
			return nil, err
		}
		return &located{root: base, settings: p}, p.Complete("flags")
	}
	if workspace.Above(base, "go.mod") == "" {
		return nil, fmt.Errorf("no %s and no go.mod in %s or above it; make a project with \"crdctl init\", or give the folder of one with --dir", config.FileName, base)
	}
	found, err := detect.Project(base, f.edit(base))
	if err != nil {
		return nil, err
	}
	return &located{root: base, settings: found.Project, found: found}, nil
}

// edit are the flags as a change of what is discovered.
func (f *settings) edit(root string) detect.Edit {
	e := detect.Edit{Do: func(p *config.Project) error { return f.over(p, root, root) }}
	f.set.Visit(func(flag *pflag.Flag) { e.Fields = append(e.Fields, flagFields[flag.Name]) })
	return e
}

// realPath has no symbolic links: generators compare the folders of packages with it, and the go command resolves links.
func realPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// pairs reads the flags whose values are pairs.
func (f *settings) pairs() (err error) {
	if f.client.PluralExceptions, err = pairs("plural-exceptions", f.plurals); err != nil {
		return err
	}
	f.client.ApplyConfigurationExternals, err = pairs("applyconfig-externals", f.externals)
	return err
}

func pairs(flag string, values []string) (map[string]string, error) {
	all := map[string]string{}
	for _, value := range values {
		key, val, ok := strings.Cut(value, ":")
		if !ok || key == "" || val == "" {
			return nil, fmt.Errorf("--%s: %q must be two names with a colon between them", flag, value)
		}
		all[key] = val
	}
	return all, nil
}
