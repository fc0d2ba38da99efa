// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/bundle"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// ofProject reports whether the manifests are those of a controller that the project has, as crdctl or kubebuilder scaffolded it, or as its
// settings name it, and not those of the built-in one, for which --builtin, -f and the settings of the loop ask. A flag of the loop then is
// a mistake.
func (o *manifestsOptions) ofProject() (root string, p *config.Project, own bool, err error) {
	if o.builtin || len(o.files) > 0 {
		return "", nil, false, nil
	}
	root, p, err = o.project()
	scaffolded := false
	if errors.Is(err, fs.ErrNotExist) {
		k := kubebuilderAt(o.dir)
		if k == nil {
			return "", nil, false, nil // which is reported later
		}
		scaffolded = true
		root, p, err = filepath.Dir(k.File), &config.Project{}, config.CheckOwner(filepath.Dir(k.File))
	}
	if err != nil || !reflect.ValueOf(p.Loop).IsZero() {
		return root, p, false, err
	}
	own = scaffolded || p.Scaffold != nil || p.Controller.Package != "" || mainpkg.Uses(root) && bundle.Kustomized(root)
	if own {
		o.loop.set.VisitAll(func(f *pflag.Flag) {
			if f.Changed {
				err = ui.UsageErrorf("--%s requires --builtin; the project's own controller has its flags in its Deployment", f.Name)
			}
		})
	}
	return root, p, own, err
}

// writeProject writes the manifests of the project's own controller.
func (o *manifestsOptions) writeProject(s ui.Streams, root string, p *config.Project) error {
	objects, err := bundle.Read(root, p)
	if err != nil {
		return err
	}
	with := bundle.Options{Image: o.Image, Namespace: o.Namespace, Requests: o.requests, Limits: o.limits}
	if o.changed("replicas") {
		with.Replicas = o.Replicas
	}
	b, err := bundle.New(objects, with)
	if err != nil {
		return err
	}
	if o.helm {
		return o.writeChart(s, root, b)
	}
	stream, err := b.Manifest()
	if err != nil {
		return err
	}
	if o.output == "" {
		_, err = s.Out.Write(stream)
		return err
	}
	files, err := bundle.Tree(stream, o.force)
	if err != nil {
		return err
	}
	return o.writeTree(s, o.outputDir(), files)
}

// writeChart writes a Helm chart. The settings of one that is there stay as its author has them.
func (o *manifestsOptions) writeChart(s ui.Streams, root string, b *bundle.Bundle) error {
	o.output = cmp.Or(o.output, filepath.Join(root, "dist", "chart"))
	files, err := b.Chart(o.force)
	if err != nil {
		return err
	}
	dir := o.outputDir()
	for _, name := range bundle.Settings {
		file := filepath.Join(dir, name)
		if _, err := os.Lstat(file); err != nil || o.force {
			continue
		}
		data, _ := files.Content(name)
		now, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if was, is := bundle.ImageOf(now), bundle.ImageOf(data); was != "" && was != is {
			s.Report().Note("%s stays as it is, with the image %s instead of %s: change it there, or use --force, which writes the file anew", file, was, is)
		} else if string(now) != string(data) {
			s.Report().Note("%s stays as it is; --force writes it anew", file)
		}
		if err := files.Put(name, now); err != nil {
			return err
		}
	}
	return o.writeTree(s, dir, files)
}

// outputDir is the directory that --output names.
func (o *manifestsOptions) outputDir() string {
	if filepath.IsAbs(o.output) {
		return o.output
	}
	return filepath.Join(o.dir, o.output)
}
