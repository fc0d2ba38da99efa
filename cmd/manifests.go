// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/distribution/reference"
	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/operator/install"
	"github.com/crdctl/crdctl/internal/text"
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
	builtin, helm bool
	// requests and limits are the resources of the project's own controller.
	requests, limits map[string]string
	changed          func(flag string) bool
}

func newManifests(s ui.Streams, shared *options) *cobra.Command {
	o := &manifestsOptions{options: shared}
	loop := o.loop.bind("watch-namespace", "")
	c := &cobra.Command{
		Use:   "manifests",
		Short: "Write what a cluster needs to run the controller of the project, or the built-in one",
		Long: `Manifests writes what a cluster needs to run a controller, to stdout as one stream, or with --output to a directory.

For a project with its own controller, as created by crdctl init or kubebuilder, these are its manifests with the given image:
the namespace, CRDs, service account, roles, webhooks and the Deployment. With --helm they become a Helm chart with values
for the image, the replicas, the resources and the namespace.

For all other projects, and with --builtin or -f, they run the built-in controller for the CRDs. The section loop of crdctl.yaml and
the flags, which "crdctl run --builtin" has too, configure it. Scripts of hooks and templates go into ConfigMaps; other programs
are expected in the image, and a notice names them.`,
		Example: `  crdctl manifests --image registry.example.com/crontab:v1 --replicas 1 > install.yaml
  crdctl manifests --image registry.example.com/crontab:v1 --helm -o dist/chart
  crdctl manifests --image registry.example.com/crdctl:v1 | crdctl kubectl apply --server-side -f -
  crdctl manifests --image registry.example.com/crdctl:v1 --replicas 3 -o deploy
  crdctl manifests --image registry.example.com/crdctl:v1 -f crd.yaml --hook ./sync.py --owns apps/v1/Deployment --shards 8`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.changed = c.Flags().Changed
			return runManifests(s, o)
		},
	}
	f := c.Flags()
	f.StringArrayVarP(&o.files, "filename", "f", nil, "`file` or directory of CRDs instead of the project's (repeatable)")
	f.StringVar(&o.Image, "image", "", "`image` of the controller; the built-in one needs crdctl in it (required)")
	f.StringVarP(&o.Namespace, "namespace", "n", "", "`namespace` of the controller (default: the manifests', or NAME-system)")
	f.IntVar(&o.Replicas, "replicas", 2, "`number` of pods (default: the manifests', or 2 for the built-in controller)")
	f.StringVarP(&o.output, "output", "o", "", "`directory` to write files to instead of stdout")
	f.BoolVar(&o.force, "force", false, "with --output: overwrite files that crdctl did not write")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --output: list the files that would be written and removed")
	f.BoolVar(&o.builtin, "builtin", false, "write manifests of the built-in controller, even if the project has its own")
	f.BoolVar(&o.helm, "helm", false, "Helm chart of the project's own controller (default --output dist/chart)")
	f.StringToStringVar(&o.requests, "requests", nil, "resource `requests` of the controller, such as cpu=10m,memory=64Mi")
	f.StringToStringVar(&o.limits, "limits", nil, "resource `limits` of the controller, such as memory=256Mi")
	f.Lookup("replicas").DefValue = "0" // help has no default but the one in the usage
	f.Lookup("requests").DefValue, f.Lookup("limits").DefValue = "", ""
	f.AddFlagSet(loop)
	return c
}

func runManifests(s ui.Streams, o *manifestsOptions) error {
	root, p, own, err := o.ofProject()
	if err != nil {
		return err
	}
	if err := o.check(own); err != nil {
		if root == "" && !o.builtin && len(o.files) == 0 {
			dir, _ := filepath.Abs(o.dir)
			err = fmt.Errorf("no project in %s, so this writes manifests for the built-in controller: %w", dir, err)
		}
		return ui.UsageError(err)
	}
	if own {
		return o.writeProject(s, root, p)
	}
	if o.helm || o.requests != nil || o.limits != nil {
		return ui.UsageErrorf("--helm, --requests and --limits are for a project that has a controller of its own; see \"crdctl init\"")
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
		files, err := set.Tree(o.force)
		if err != nil {
			return err
		}
		return o.writeTree(s, o.outputDir(), files)
	}
	stream, err := set.Stream()
	if err != nil {
		return err
	}
	_, err = s.Out.Write(stream)
	return err
}

func (o *manifestsOptions) check(own bool) error {
	switch {
	case own && o.Image == "":
		return errors.New("--image is required; it names the image of the controller")
	case o.Image == "":
		return errors.New("--image is required; it must have crdctl as its entry point, see docs/in-cluster.md")
	case strings.ContainsFunc(o.Image, unicode.IsSpace):
		return fmt.Errorf("--image %q must not contain white space; write for example registry.example.com/crdctl:v1", o.Image)
	case !isImage(o.Image):
		return fmt.Errorf("--image %q is not the name of an image; write for example registry.example.com/crdctl:v1", o.Image)
	case o.Replicas < 1:
		return fmt.Errorf("--replicas must be at least 1, got %d", o.Replicas)
	case o.Namespace != "" && !config.IsDNSLabel(o.Namespace):
		return fmt.Errorf("--namespace %q is not a valid namespace name; use lower-case letters, digits and hyphens", o.Namespace)
	case o.output == "" && !o.helm && (o.force || o.dryRun):
		return errors.New("--force and --dry-run require --output")
	}
	return nil
}

// isImage reports whether a container runtime reads a text as the name of an image.
func isImage(name string) bool {
	_, err := reference.ParseNormalizedNamed(name)
	return err == nil
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
		return ui.UsageErrorf("%q is too long for a namespace; set one with --namespace", o.Namespace)
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
		return fmt.Errorf("--output %s: a symbolic link leads out of %s; name its target", o.output, o.dir)
	}
	return nil
}

// writeTree makes a directory as the files are, or lists what it would write: those of before that are no longer needed go.
func (o *manifestsOptions) writeTree(s ui.Streams, dir string, files *tree.Tree) error {
	if err := o.staysInside(); err != nil {
		return err
	}
	changes, err := o.changes(dir, files)
	if err != nil {
		return err
	}
	if !o.dryRun {
		if err := tree.Write(dir, changes); err != nil {
			return err
		}
	}
	in, total := o.shortest(dir), len(files.Paths())
	if len(changes) == 0 {
		s.Report().Printf("%s in %s: up to date", text.Count(total, "file", "files"), in)
		return nil
	}
	for i := range changes {
		changes[i].Path = path.Join(filepath.ToSlash(in), changes[i].Path)
	}
	printChanges(s.Out, changes, o.dryRun)
	s.Report().Printf("%s in %s", tally(changes, total, o.dryRun), in)
	return nil
}

// changes are what makes a directory as the files are. The directory need not exist.
func (o *manifestsOptions) changes(dir string, files *tree.Tree) (all []tree.Change, err error) {
	if _, err := os.Stat(dir); o.dryRun && errors.Is(err, fs.ErrNotExist) {
		for _, path := range files.Paths() {
			all = append(all, tree.Change{Path: path, Op: tree.Create})
		}
		return all, nil
	}
	if !o.dryRun {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	return files.Diff(dir)
}

// shortest is a directory as it is seen from the project's, if it is below that.
func (o *manifestsOptions) shortest(dir string) string {
	from, err1 := filepath.Abs(o.dir)
	to, err2 := filepath.Abs(dir)
	if rel, err := filepath.Rel(from, to); errors.Join(err1, err2, err) == nil && filepath.IsLocal(rel) {
		return rel
	}
	return dir
}
