// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
)

// refuse rejects flags that exclude each other, and a project without a controller to run.
func (o *runOptions) refuse(args []string) error {
	flag := o.loop.first()
	switch {
	case !o.Builtin && flag != "":
		return ui.UsageErrorf("--%s requires --builtin; arguments of the project's controller come after --", flag)
	case (o.debugPort != 0 || o.debugWait) && !o.debug:
		return ui.UsageErrorf("--debug-port and --debug-wait require --debug")
	case o.debugPort < 0 || o.debugPort > 65535:
		return ui.UsageErrorf("--debug-port must be between 1 and 65535, got %d", o.debugPort)
	case (o.Builtin || o.NoController) && (o.debug || o.Race || o.settings.set.Changed("build-flags")):
		return ui.UsageErrorf("--debug, --race and --build-flags cannot be used with --builtin or --no-controller, with which crdctl builds no controller")
	case o.Builtin && o.NoController:
		return ui.UsageErrorf("--no-controller cannot be used with --builtin, whose controller is part of crdctl; omit one of them")
	case o.Builtin && len(args) > 0:
		return ui.UsageErrorf("%q: the built-in controller takes no arguments", args[0])
	case o.Builtin && o.account != "":
		return ui.UsageErrorf("--as-service-account cannot be used with --builtin; it restricts the project's own controller")
	case (o.Cluster != target.Cluster{} || o.loop.inCluster) && (o.account != "" || o.plane != planeOptions{pods: podsRunning}):
		return ui.UsageErrorf("--data-dir, --port, --pods and --as-service-account cannot be used with --kubeconfig, --context, --master or --in-cluster; they configure crdctl's own control plane")
	case o.Builtin:
		return nil
	case o.Project.Controller.Package == "":
		return errors.New("no controller is set; name the directory of its main package with --controller or as controller.package in " + config.FileName + ", or run with --builtin")
	}
	dir := filepath.Join(o.Root, filepath.FromSlash(o.Project.Controller.Package))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("controller's main package: %s is not a directory; set it with --controller or as controller.package in %s", dir, config.FileName)
	}
	return nil
}
