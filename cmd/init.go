// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	xmodule "golang.org/x/mod/module"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/templates"
)

type initOptions struct {
	*options
	changeOptions
	api       scaffold.APIOptions
	module    string
	clientDir string
	header    string
	fromCRD   string
	force     bool
}

func newInit(s ui.Streams, shared *options) *cobra.Command {
	o := initOptions{options: shared}
	c := &cobra.Command{
		Use:   "init",
		Short: "Create a project: API types, controller, tests, clients and CRD",
		Long: `Init writes a project that compiles: the Go types of an API, a controller with tests, a CRD, a sample
object, manifests, and the generated clients, listers, informers and apply configurations. The header of --boilerplate is copied
to hack/boilerplate.go.txt.

In a directory of an existing Go module, the project becomes part of that module: init adds its requirements to go.mod and shows
the lines that change. It changes no other existing file. A README or a Makefile stays as it is; if existing files conflict with
files that the project needs, init lists them and writes nothing.`,
		Example: `  crdctl init --group stable.example.com --kind CronTab
  crdctl init -C crontab --module github.com/you/crontab --group stable.example.com --version v1beta1 \
      --kind CronTab --short-names ct --field cronSpec:string --field image:string --field replicas:int32
  crdctl init --group samplecontroller.k8s.io --kind Foo --owns apps/v1/Deployment \
      --field deploymentName:string:required --field replicas:int32 --field status.availableReplicas:int32`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runInit(c, s, o) },
	}
	f := c.Flags()
	apiFlags(c, &o.api, firstVersion)
	fromCRDFlag(c, &o.fromCRD)
	f.StringVar(&o.module, "module", "", "module `path` (default: from go.mod, or example.com/DIRECTORY)")
	f.StringVar(&o.header, "boilerplate", "", "`file` with the header of Go files (default: a copyright line)")
	f.StringVar(&o.clientDir, "client-dir", "pkg/client", "`directory` of the generated clients")
	o.register(f)
	f.BoolVar(&o.force, "force", false, "overwrite existing files of the scaffold, and list them")
	return c
}

func runInit(c *cobra.Command, s ui.Streams, o initOptions) error {
	start := time.Now()
	if err := o.checkOutput(); err != nil {
		return err
	}
	if o.module == "" { // with it, the project is a module of its own
		if err := o.notOfKubebuilder("init", o.api); err != nil {
			return err
		}
	}
	root, err := o.root()
	if err != nil {
		return err
	}
	place, err := change.FindLocation(root, o.module != "")
	if err != nil {
		return err
	}
	if !o.dryRun {
		recovered(s, place.Base())
	}
	p, wrong := o.project(place)
	types, err := o.apis(c, s, place, p)
	if err := errors.Join(err, wrong); err != nil {
		return err // all that is wrong with the flags, at once
	}
	if types, err = o.withHeader(types); err != nil {
		return err
	}
	o.findMain(place, p)
	plan, overwritten, err := o.plan(place, change.Render{Project: p, Templates: templates.FS, Files: types})
	if err != nil {
		return err
	}
	shown, done := s.Report().Work(c.Context(), "making the project")
	changes, err := plan.Changes(shown)
	if done(); err != nil {
		return err
	}
	if len(plan.Generated) > 0 {
		return inTheWayError(place, plan.Generated, "remove these files first: they are generated, and --force overwrites only files of the scaffold")
	}
	if err := o.carryOut(s, place, changes, nil); err != nil {
		return err
	}
	s.Report().Lines(plan.Notes)
	if len(p.Without) > 0 {
		s.Report().Printf("unchanged: %s", strings.Join(p.Without, ", "))
	}
	if len(plan.LeftOver) > 0 {
		s.Report().Printf("unchanged: %s; these generated files are stale, and \"crdctl generate\" removes them", strings.Join(plan.LeftOver, ", "))
	}
	if o.dryRun {
		s.Report().Printf("would write %s", text.Count(len(changes), "file", "files"))
		return nil
	}
	for _, f := range overwritten {
		s.Report().Printf("overwrote %s", f)
	}
	sayNext(s, o, p, len(changes), time.Since(start))
	return nil
}

// root is the real path of the directory that the project is to be in, which may not be there yet.
func (o *initOptions) root() (string, error) {
	root, err := filepath.Abs(o.dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, os.ErrNotExist):
		parent, err := filepath.EvalSymlinks(filepath.Dir(root))
		if err != nil {
			return root, nil // the directories above are made, too
		}
		return filepath.Join(parent, filepath.Base(root)), nil
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", ui.UsageErrorf("--dir %s is a file, not a directory", o.dir)
	}
	if data, err := safefs.ReadFile(filepath.Join(root, config.FileName), safefs.MaxFile); err == nil && !o.force {
		if p, err := config.Parse(config.FileName, data); err == nil && p.Scaffold != nil {
			return "", fmt.Errorf("%s is a project already; add a kind with \"crdctl create api\", or use --force, which overwrites your changes to scaffolded files", root)
		}
	}
	return filepath.EvalSymlinks(root)
}

// project checks what the flags say of the project, less its APIs.
func (o *initOptions) project(place change.Location) (*scaffold.Project, error) {
	p := &scaffold.Project{Folder: place.Dir, Main: "."}
	var moduleErr, dirErr error
	p.Module, moduleErr = scaffold.ModulePath(o.module, place.Path, filepath.Base(place.Root()))
	if dir := filepath.FromSlash(o.clientDir); !filepath.IsLocal(dir) || filepath.Clean(dir) == "." {
		dirErr = fmt.Errorf("--client-dir %q must be a directory below the project's", o.clientDir)
	} else if err := xmodule.CheckImportPath(filepath.ToSlash(filepath.Clean(dir))); err != nil {
		dirErr = fmt.Errorf("--client-dir %q must be part of an import path: %w", o.clientDir, err)
	} else if scaffold.Vendored(filepath.ToSlash(dir)) {
		dirErr = fmt.Errorf("--client-dir %q must not be in a vendor directory, whose packages the module cannot import; choose another name", o.clientDir)
	} else if scaffold.Vendored(place.Dir) {
		dirErr = fmt.Errorf("%s is in a vendor directory of the module %s, which cannot import packages there; choose another directory with --dir", place.Dir, place.Path)
	}
	p.ClientDir = filepath.ToSlash(filepath.Clean(o.clientDir))
	if err := errors.Join(moduleErr, dirErr); err != nil {
		return p, ui.UsageError(err)
	}
	return p, nil
}

// apis adds the APIs that the flags ask for, and returns the types of those that come from a CRD.
func (o *initOptions) apis(c *cobra.Command, s ui.Streams, place change.Location, p *scaffold.Project) (types map[string][]byte, err error) {
	if o.fromCRD != "" {
		types, _, err = imported(c, s, o.fromCRD, place.Root(), p, o.api)
		return types, err
	}
	if o.api.Group == "" || o.api.Kind == "" {
		return nil, errNoKind
	}
	o.api.Version = cmp.Or(o.api.Version, firstVersion)
	api, err := p.Add(o.api)
	if err != nil {
		return nil, ui.UsageError(err)
	}
	saySamePlural(s, o.api, api)
	return nil, nil
}

func sayNext(s ui.Streams, o initOptions, p *scaffold.Project, n int, took time.Duration) {
	s.Report().Printf("made the project %s (module %s): %s in %.1fs", p.ProjectName(), p.Module, text.Count(n, "file", "files"), took.Seconds())
	sayProtected(s, p.First())
	cd := ""
	if o.dir != "." {
		cd = "cd " + o.dir + " && "
	}
	next := "crdctl run"
	if buildName != fullBuild {
		next = "go test ./..." // this build runs no controller
	}
	s.Report().Printf("next: %s%s", cd, next)
}

// saySamePlural names the flag where the plural equals the singular: kubectl then has one name for one object and for many.
func saySamePlural(s ui.Streams, o scaffold.APIOptions, a *scaffold.API) {
	if o.Plural == "" && a.Plural == a.Singular {
		s.Report().Printf("the plural of %s is %s, the same as its singular; to change it, set --plural", a.Kind, a.Plural)
	}
}

// sayProtected tells of the groups that are not everybody's.
func sayProtected(s ui.Streams, a *scaffold.API) {
	if a.Protected() {
		s.Report().Printf("%s is a protected group: its CRD gets the annotation api-approved.kubernetes.io: unapproved; see https://github.com/kubernetes/enhancements/pull/1111", a.Group)
	}
}
