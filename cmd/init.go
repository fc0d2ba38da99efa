package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	xmodule "golang.org/x/mod/module"

	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scratch"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

type initOptions struct {
	*options
	api       scaffold.APIOptions
	module    string
	clientDir string
	dryRun    bool
	force     bool
}

func newInit(s Streams, shared *options) *cobra.Command {
	o := initOptions{options: shared}
	c := &cobra.Command{
		Use:   "init",
		Short: "Make a new project: API types, controller, tests, generated clients and CRD",
		Long: `Init writes a project that compiles at once: the Go types of an API, a controller with its tests, a CRD, a sample
object, and the generated clients, listers, informers and apply configurations.

Nothing that exists is overwritten: if a file is in the way, init names all that are, and writes nothing.`,
		Example: `  crdctl init --group stable.example.com --kind CronTab
  crdctl init -C crontab --module github.com/you/crontab --group stable.example.com --version v1beta1 \
      --kind CronTab --short-names ct --field cronSpec:string --field image:string --field replicas:int32`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runInit(c.Context(), s, o) },
	}
	f := c.Flags()
	f.StringVar(&o.api.Group, "group", "", "API group, a `domain` name such as stable.example.com (required)")
	f.StringVar(&o.api.Version, "version", "v1alpha1", "API `version`, such as v1, v1alpha1 or v1beta2")
	f.StringVar(&o.api.Kind, "kind", "", "`kind` of the objects, such as CronTab (required)")
	f.StringVar(&o.api.Plural, "plural", "", "plural `name` of the resource (default: made from the kind)")
	f.StringVar(&o.api.Singular, "singular", "", "singular `name` of the resource (default: the kind in lower case)")
	f.StringSliceVar(&o.api.ShortNames, "short-names", nil, "short `names` of the resource")
	f.StringSliceVar(&o.api.Categories, "categories", nil, "`names` of groups of resources that this one is listed with")
	f.StringVar(&o.api.Scope, "scope", "Namespaced", "`scope` of the objects: Namespaced or Cluster")
	f.StringArrayVar(&o.api.Fields, "field", nil, "field of the spec, as `NAME:TYPE` (repeatable)")
	f.BoolVar(&o.api.NoStatus, "no-status", false, "leave out the status and its subresource")
	f.StringVar(&o.module, "module", "", "module `path` (default: that of a bare go.mod in the folder, or example.com/FOLDER)")
	f.StringVar(&o.clientDir, "client-dir", "pkg/client", "`folder` of the generated clients")
	f.BoolVar(&o.dryRun, "dry-run", false, "list what would be written, and write nothing")
	f.BoolVar(&o.force, "force", false, "overwrite scaffold files that are in the way, and say which")
	return c
}

func runInit(ctx context.Context, s Streams, o initOptions) error {
	start := time.Now()
	if o.api.Group == "" || o.api.Kind == "" {
		return usageError{errors.New("--group and --kind are required, for example --group stable.example.com --kind CronTab")}
	}
	root, err := filepath.Abs(o.dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("--dir %s is a file, not a folder", o.dir)}
	}
	p, err := o.project(root)
	if err != nil {
		return err
	}
	files, err := p.Render(templates.FS)
	if err != nil {
		return err
	}
	overwritten := o.inTheWay(root, files)
	if len(overwritten) > 0 && !o.force {
		return inTheWayError(root, overwritten, "overwrite with --force")
	}
	// All is made and generated in a folder of its own, and comes here in one go: a failure leaves nothing behind.
	generated, err := generateApart(ctx, files)
	if err != nil {
		return err
	}
	if others := o.inTheWay(root, generated); len(others) > 0 {
		return inTheWayError(root, others, "remove these: they are generated, and --force overwrites files of the scaffold only")
	}
	if err := files.AddAll(generated); err != nil {
		return err
	}
	changes, err := newChanges(root, files)
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return err
		}
		if err := tree.Write(root, changes); err != nil {
			return err
		}
	}
	printChanges(s.Out, changes, o.dryRun)
	if o.dryRun {
		_, _ = fmt.Fprintf(s.Err, "would write %s\n", plural(len(changes), "file", "files"))
		return nil
	}
	for _, f := range overwritten {
		_, _ = fmt.Fprintf(s.Err, "overwrote %s\n", f)
	}
	sayNext(s, o, p, len(changes), time.Since(start))
	return nil
}

// project makes what the templates are rendered with, and reports all that is wrong with the flags at once.
func (o *initOptions) project(root string) (*scaffold.Project, error) {
	api, apiErr := scaffold.NewAPI(o.api)
	existing := ""
	goMod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err == nil {
		existing, _ = scaffold.BareModule(goMod)
	}
	module, moduleErr := scaffold.ModulePath(o.module, existing, filepath.Base(root))
	var dirErr error
	if dir := filepath.FromSlash(o.clientDir); !filepath.IsLocal(dir) || filepath.Clean(dir) == "." {
		dirErr = fmt.Errorf("--client-dir %q must be a folder below the project's", o.clientDir)
	} else if err := xmodule.CheckImportPath(filepath.ToSlash(filepath.Clean(dir))); err != nil {
		dirErr = fmt.Errorf("--client-dir %q must be part of an import path: %w", o.clientDir, err)
	}
	if err := errors.Join(apiErr, moduleErr, dirErr); err != nil {
		return nil, usageError{err}
	}
	return &scaffold.Project{Module: module, ClientDir: filepath.ToSlash(filepath.Clean(o.clientDir)), API: api}, nil
}

// inTheWay returns the files that exist with other content.
func (o *initOptions) inTheWay(root string, files *tree.Tree) []string {
	var paths []string
	for _, f := range files.InTheWay(root) {
		if f == "go.mod" {
			// What "go mod init" wrote is no loss.
			if goMod, err := os.ReadFile(filepath.Join(root, f)); err == nil {
				if _, bare := scaffold.BareModule(goMod); bare {
					continue
				}
			}
		}
		paths = append(paths, f)
	}
	return paths
}

func inTheWayError(root string, paths []string, act string) error {
	return fmt.Errorf("%s in the way in %s, nothing was written:\n  %s\nChoose another folder with --dir, or %s",
		plural(len(paths), "file is", "files are"), root, strings.Join(paths, "\n  "), act)
}

// generateApart generates the code of a scaffold in a temporary folder, and returns it.
func generateApart(ctx context.Context, files *tree.Tree) (generated *tree.Tree, err error) {
	_ = scratch.Sweep(os.TempDir(), scratch.RunPrefix) // what killed runs left must not stop this one
	dir, err := scratch.New(os.TempDir(), scratch.RunPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	stage, err := filepath.EvalSymlinks(dir.Path)
	if err != nil {
		return nil, err
	}
	changes, err := files.Diff(stage)
	if err != nil {
		return nil, err
	}
	if err := tree.Write(stage, changes); err != nil {
		return nil, err
	}
	settings, err := project.Load(stage)
	if err != nil {
		return nil, err
	}
	result, err := gen.Generate(ctx, stage, settings, gen.Options{Year: time.Now().UTC().Year()})
	if err != nil {
		return nil, err
	}
	return result.Tree, nil
}

// newChanges is Diff for a folder that may not exist yet.
func newChanges(root string, files *tree.Tree) ([]tree.Change, error) {
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		empty, err := os.MkdirTemp("", "crdctl-init-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.Remove(empty) }()
		return files.Diff(empty)
	}
	return files.Diff(root)
}

func sayNext(s Streams, o initOptions, p *scaffold.Project, n int, took time.Duration) {
	_, _ = fmt.Fprintf(s.Err, "made the project %s (module %s): %s in %.1fs\n", p.ProjectName(), p.Module, plural(n, "file", "files"), took.Seconds())
	if p.API.Protected() {
		_, _ = fmt.Fprintf(s.Err, "%s is a protected group: its CRD bears the annotation api-approved.kubernetes.io: unapproved; see https://github.com/kubernetes/enhancements/pull/1111\n", p.API.Group)
	}
	cd := ""
	if o.dir != "." {
		cd = "cd " + o.dir + " && "
	}
	_, _ = fmt.Fprintf(s.Err, "next: %scrdctl run\n", cd)
}
