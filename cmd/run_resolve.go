// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/run"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// toRun returns the project, and its root: that of crdctl.yaml, or where there is none what is discovered. The built-in
// controller with a manifest, or with CRDs of the cluster, needs no project, and gets nil. Its owner comes before what is in it.
func (o *runOptions) toRun(s ui.Streams) (root string, p *config.Project, err error) {
	root, p, err = o.ownProject()
	if written := detects(root); err == nil && written != nil && (!o.Builtin || len(o.CRDFiles)+len(o.CRDNames) == 0) {
		o.Discovered = true
		root, p, err = discoverToRun(s, root, written)
	}
	if errors.Is(err, fs.ErrNotExist) {
		base, realErr := realPath(o.dir)
		switch {
		case realErr != nil:
			return "", nil, realErr
		case o.Builtin && len(o.CRDFiles)+len(o.CRDNames) > 0:
			return base, nil, config.CheckOwner(base)
		case workspace.Above(base, "go.mod") == "" && o.Builtin:
			return "", nil, noCRDs(err)
		case workspace.Above(base, "go.mod") == "" && len(o.CRDFiles) > 0:
			return "", nil, fmt.Errorf("%w; to run the built-in controller on a CRD of its own, which needs neither a project nor Go, add --builtin", err)
		case workspace.Above(base, "go.mod") == "" && workspace.ModulesHint(base) != "":
			return "", nil, fmt.Errorf("no go.mod in %s or any parent directory; %s", base, workspace.ModulesHint(base))
		case workspace.Above(base, "go.mod") == "":
			return "", nil, fmt.Errorf("%w; without a project or Go, \"crdctl run --builtin -f CRD\" runs the built-in controller, and \"crdctl cluster start\" an API server alone", err)
		}
		root, o.Discovered = base, true
		if err = config.CheckOwner(root); err == nil {
			if root, p, err = discoverToRun(s, base, nil); err == nil && root != base {
				err = config.CheckOwner(root)
			}
		}
	}
	if err == nil && o.controller != "" {
		p.Controller.Package, err = below(root, o.dir, o.controller)
	}
	if err == nil && !o.Builtin {
		err = o.toManage(root, p)
	}
	return root, p, err
}

// toManage finds the program of a project whose settings name none, and what such a program needs to run here. One that crdctl scaffolded
// for client-go needs nothing.
func (o *runOptions) toManage(root string, p *config.Project) (err error) {
	if !mainpkg.Uses(root) && (p.Scaffold != nil || !mainpkg.UsesClientGo(root)) {
		return nil
	}
	var program *mainpkg.Program
	var many *mainpkg.ManyError
	if dir := p.Controller.Package; dir != "" {
		program, err = mainpkg.Read(root, dir)
	} else if program, err = mainpkg.Find(root); errors.As(err, &many) {
		return fmt.Errorf("%w; choose one with --controller DIRECTORY", err)
	}
	if err != nil || program == nil || p.Scaffold != nil && !program.Manager {
		return err
	}
	o.Program, p.Controller.Package = program, program.Dir
	o.Located = run.Locate(root, p)
	return nil
}

// discoverToRun finds out about a module without crdctl.yaml, or about the directory of one that has the settings written alone. One in which
// nothing is generated has a controller all the same: in the directory itself, if that is a program.
func discoverToRun(s ui.Streams, base string, written *config.Project) (root string, p *config.Project, err error) {
	p, root = &config.Project{}, base
	var found *detect.Found
	if written != nil { // with paths from this directory
		p = written
		found, err = detect.Project(base, detect.Edit{Was: written})
	} else {
		root, found, err = discover(base, func(string) detect.Edit { return detect.Edit{} })
	}
	var nothing *detect.NothingError
	switch {
	case errors.Is(err, detect.ErrNothing), errors.As(err, &nothing) && mainpkg.Uses(base):
		s.Report().Note("no generated files detected, so none are regenerated during this run; run \"crdctl verify\" for details")
	case err != nil:
		s.Report().Note("no generated files detected: %v", err)
	default:
		p = found.Project
		for _, note := range discovered(found) {
			s.Report().Note("%s", note)
		}
	}
	pkg, err := build.ImportDir(base, 0)
	if err == nil && pkg.IsCommand() && (written == nil || written.Controller.Package == "") {
		p.Controller.Package = relativeTo(root, base, ".")
	}
	return root, p, nil
}

// below is a path as a flag has it, as one in crdctl.yaml.
func below(root, dir, file string) (string, error) {
	base, err := realPath(dir)
	if err != nil {
		return "", err
	}
	rel := relativeTo(root, base, file)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "", ui.UsageErrorf("%s is not below the project's directory %s", file, root)
	}
	return rel, nil
}

// toBuild returns the flags of go build that crdctl.yaml or the flag in its place names.
func (o *runOptions) toBuild() ([]string, error) {
	if o.settings.set.Changed("build-flags") {
		flags, err := config.ParseBuildFlags(o.settings.flag.Controller.BuildFlags)
		if err != nil {
			return nil, ui.UsageErrorf("--build-flags: %w", err)
		}
		return flags, nil
	} else if o.Project == nil {
		return nil, nil
	}
	return config.ParseBuildFlags(o.Project.Controller.BuildFlags)
}
