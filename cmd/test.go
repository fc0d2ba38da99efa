// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/envtest"
	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

// testOptions are the flags of "test".
type testOptions struct {
	*options
	asked       askedVersion
	controllers bool
}

func newTest(s ui.Streams, shared *options) *cobra.Command {
	o := &testOptions{options: shared}
	c := &cobra.Command{
		Use:   "test [flags] [-- COMMAND [ARG...]]",
		Short: "Run the project's tests on crdctl's API server",
		Long: `Test runs a command (default "go test ./...") in the directory of --dir, and exits with its exit code.

Tests that use controller-runtime's envtest start etcd and kube-apiserver themselves, as always; both are built into crdctl, so
nothing is downloaded. Other tests get a control plane with the project's CRDs while they run, and its kubeconfig in
KUBECONFIG.`,
		Example: "  crdctl test\n  crdctl test -- make test\n  crdctl test --controllers -- go test ./internal/controller -run TestReconcile",
		RunE: func(c *cobra.Command, args []string) error {
			if at := c.ArgsLenAtDash(); len(args) > 0 && at != 0 {
				command := args
				if strings.HasPrefix(args[0], "./") { // packages
					command = append([]string{"go", "test"}, args...)
				}
				return ui.UsageErrorf("%q: write the command after --, as in \"crdctl test -- %s\"", args[0], strings.Join(command, " "))
			}
			if len(args) == 0 {
				if args = []string{"go", "test", "./..."}; workspace.Above(moduleRoot(o.dir), "go.mod") == "" {
					return ui.UsageErrorf("no go.mod in %s or any parent directory; %s, or write a command after --", moduleRoot(o.dir), cmp.Or(workspace.ModulesHint(moduleRoot(o.dir)), setDirHint))
				}
			}
			return o.run(c.Context(), s, args)
		},
	}
	o.asked.bind(c.Flags())
	c.Flags().BoolVar(&o.controllers, "controllers", false, "run garbage collection and namespace deletion next to envtest's API servers")
	return c
}

func (o *testOptions) run(ctx context.Context, s ui.Streams, argv []string) (err error) {
	root := moduleRoot(o.dir)
	suites, err := envtest.Inspect(root)
	if err != nil {
		return err
	}
	if len(suites.Files) == 0 && !suites.Possible {
		if o.asked.flag != "" {
			return ui.UsageErrorf("--kubernetes-version applies to envtest only, and no test of %s uses it; the control plane for other tests is Kubernetes %s", root, controlplane.KubernetesVersion)
		}
		return o.runOnPlane(ctx, s, root, argv, os.Environ())
	}
	if len(suites.Downloads) > 0 {
		s.Report().Note("%s: DownloadBinaryAssets is true, so this suite downloads the official programs instead of using crdctl's; remove it, or run this suite without crdctl",
			strings.Join(suites.Downloads, ", "))
	}
	version, err := o.asked.find(s, root)
	if err != nil {
		return err
	}
	dir, err := envtest.Path(version)
	if err != nil {
		return err
	}
	env := envtest.Environ(os.Environ(), dir, o.controllers)
	if len(suites.Existing) > 0 {
		s.Report().Note("%s: UseExistingCluster is true, so the tests get a control plane with the project's CRDs", strings.Join(suites.Existing, ", "))
	}
	if len(suites.Files) == 0 || len(suites.Existing) > 0 {
		return o.runOnPlane(ctx, s, root, argv, env)
	}
	return o.command(s, argv, env)
}

// runOnPlane runs a command with a control plane, which has the project's CRDs.
func (o *testOptions) runOnPlane(ctx context.Context, s ui.Streams, root string, argv, env []string) (err error) {
	crds, err := crdsToTest(s, root)
	if err != nil {
		return err
	}
	shown, done := s.Report().Work(ctx, "starting the control plane")
	plane, err := controlplane.Start(shown, controlplane.Options{})
	if done(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop(context.WithoutCancel(ctx))) }()
	if err := controlplane.InstallCRDsPromptly(ctx, plane.RESTConfig(), manifest.Definitions(crds)...); err != nil {
		return err
	}
	return o.command(s, argv, append(env, "KUBECONFIG="+plane.Kubeconfig(), testKubeconfig+"="+plane.Kubeconfig()))
}

// testKubeconfig names the kubeconfig of the control plane of "crdctl test" in the environment of its command, for "crdctl kubectl" there.
const testKubeconfig = "CRDCTL_TEST_KUBECONFIG"

// crdsToTest reads the CRDs of the project in root.
func crdsToTest(s ui.Streams, root string) ([]manifest.CRD, error) {
	p, err := config.Load(root)
	if errors.Is(err, os.ErrNotExist) || err == nil && detects(root) != nil {
		found, detectErr := detect.Project(root)
		if errors.Is(detectErr, detect.ErrNothing) {
			s.Report().Note("no CRDs are installed: none that the project generates were found in %s", root)
			return nil, nil
		}
		if detectErr != nil {
			s.Report().Note("no CRDs are installed: %v", detectErr)
			return nil, nil
		}
		p, err = found.Project, nil
	}
	if err != nil {
		return nil, err
	}
	return crdsToUse(root, p, nil)
}

// command runs a command in --dir to its end. Signals are its own affair: it gets each of them, with all that it started.
func (o *testOptions) command(s ui.Streams, argv, env []string) error {
	path, err := exec.LookPath(argv[0])
	if errors.Is(err, exec.ErrNotFound) && argv[0] == "go" {
		return workspace.ErrNoGo
	}
	if err != nil {
		return ui.UsageErrorf("%v; write the command and its arguments after --", err)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	out, compiled := testOutput(s, argv)
	defer compiled()
	child, err := proc.Start(proc.Options{Path: path, Args: argv[1:], Env: env, Dir: o.dir, Stdin: s.In, Stdout: out, Stderr: s.Err})
	if err != nil {
		return err
	}
	for {
		select {
		case sig := <-signals:
			child.Signal(sig)
		case <-o.interrupts.Hurry:
			child.Kill()
			<-child.Done()
		case <-child.Done():
			return exitOf(child.Err())
		}
	}
}

// signalExit is added to the number of a signal that ended a command, as shells do.
const signalExit = 128

func exitOf(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return ui.ExitCode(signalExit + int(status.Signal()))
	}
	return ui.ExitCode(exit.ExitCode())
}

// moduleRoot is the root of the module that dir is in, or dir.
func moduleRoot(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return cmp.Or(workspace.Above(abs, "go.mod"), abs)
}
