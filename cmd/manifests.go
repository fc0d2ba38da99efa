//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/operator/install"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

type manifestsOptions struct {
	*options
	install.Options
	loop          loopFlags
	files         []string
	output        string
	force, dryRun bool
}

func newManifests(s ui.Streams, shared *options) *cobra.Command {
	o := &manifestsOptions{options: shared}
	c := &cobra.Command{
		Use:   "manifests",
		Short: "Write what a cluster needs to run the built-in controller for the project's CRDs",
		Long: `Manifests writes the CRDs, a namespace, a service account with the least rights that the built-in controller works with, and a
Deployment of it with probes, leader election or shards, to stdout as one stream, or with --output as files of a folder.

What the controller does is in the section loop of crdctl.yaml, or in the flags that "crdctl run --builtin" has too. Scripts of hooks
and templates are taken along in ConfigMaps; other programs are taken to be in the image, and what was taken to be so is said.`,
		Example: `  crdctl manifests --image registry.example.com/crdctl:v1 | crdctl kubectl apply --server-side -f -
  crdctl manifests --image registry.example.com/crdctl:v1 --replicas 3 -o deploy
  crdctl manifests --image registry.example.com/crdctl:v1 -f crd.yaml --hook ./sync.py --owns apps/v1/Deployment --shards 8`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runManifests(s, o) },
	}
	f := c.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "`file` or directory of CRDs, in place of the project's (repeatable)")
	f.StringVar(&o.Image, "image", "", "`image` with crdctl as its entry point, and with the hook's programs (required)")
	f.StringVarP(&o.Namespace, "namespace", "n", "", "`namespace` of the controller (default: its name with -system)")
	f.IntVar(&o.Replicas, "replicas", 2, "`number` of pods; those without a lease or a shard stand by")
	f.StringVarP(&o.output, "output", "o", "", "`directory` to write files to, in place of stdout")
	f.BoolVar(&o.force, "force", false, "with --output: overwrite files that something else wrote")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --output: list what would be written and removed, and write nothing")
	f.AddFlagSet(o.loop.bind("watch-namespace", ""))
	return c
}

func runManifests(s ui.Streams, o *manifestsOptions) error {
	if err := o.check(); err != nil {
		return ui.UsageError(err)
	}
	if err := o.toDeploy(); err != nil {
		return err
	}
	set, err := install.New(o.Options)
	if err != nil {
		return err
	}
	for _, note := range set.Notes {
		s.Report().Note("%s", note)
	}
	if o.output != "" {
		return o.write(s, set)
	}
	stream, err := set.Stream()
	if err != nil {
		return err
	}
	_, err = s.Out.Write(stream)
	return err
}

func (o *manifestsOptions) check() error {
	switch {
	case o.Image == "":
		return errors.New("no image is named; give one that has crdctl as its entry point with --image, see docs/in-cluster.md")
	case strings.ContainsFunc(o.Image, unicode.IsSpace):
		return fmt.Errorf("--image %q has white space in it, and no name of an image has; write for example registry.example.com/crdctl:v1", o.Image)
	case o.Replicas < 1:
		return fmt.Errorf("--replicas is %d; at least 1 is needed", o.Replicas)
	case o.Namespace != "" && !config.IsDNSLabel(o.Namespace):
		return fmt.Errorf("--namespace %q is no name of a namespace; they are lower-case letters, digits and hyphens", o.Namespace)
	case o.output == "" && (o.force || o.dryRun):
		return errors.New("--force and --dry-run are for files; name their directory with --output")
	}
	return nil
}

// toDeploy puts flags, settings and CRDs together. With CRDs named by flags no project is needed.
func (o *manifestsOptions) toDeploy() error {
	base, err := realPath(o.dir)
	if err != nil {
		return fmt.Errorf("%w; give the project's directory with --dir", err)
	}
	root, p, err := o.project()
	if errors.Is(err, fs.ErrNotExist) {
		if root, p = base, (&config.Project{}); len(o.files) == 0 {
			return fmt.Errorf("%w; or name CRDs with -f", err)
		}
	} else if err != nil {
		return err
	}
	if o.Loop, err = o.loop.over(p.Loop, root, base); err != nil {
		return err
	}
	crds, err := crdsToUse(root, p, o.files)
	if err != nil {
		return err
	}
	o.Root, o.CRDs, o.Namespace = root, manifest.Definitions(crds), cmp.Or(o.Namespace, o.Loop.Name+"-system")
	if !config.IsDNSLabel(o.Namespace) {
		return ui.UsageErrorf("%q is too long for a namespace; name one with --namespace", o.Namespace)
	}
	return nil
}

// staysInside refuses an output directory that is below --dir by its name, and elsewhere because of a link.
func (o *manifestsOptions) staysInside() error {
	name := filepath.Clean(o.output)
	if !filepath.IsLocal(name) {
		return nil // the user names another place
	}
	root, err := os.OpenRoot(o.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--output %s: a link leads out of %s; name the directory that it leads to", o.output, o.dir)
	}
	return nil
}

// write makes the folder as the files are: those of before that are no longer needed go.
func (o *manifestsOptions) write(s ui.Streams, set *install.Set) error {
	dir := o.output
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.dir, dir)
	}
	files, err := set.Tree(o.force)
	if err != nil {
		return err
	}
	if err := o.staysInside(); err != nil {
		return err
	}
	if o.dryRun {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			for _, path := range files.Paths() {
				_, _ = fmt.Fprintf(s.Out, "%s %s\n", tree.Create, path)
			}
			return nil
		}
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	changes, err := files.Diff(dir)
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := tree.Write(dir, changes); err != nil {
			return err
		}
	}
	printChanges(s.Out, changes, o.dryRun)
	return nil
}
