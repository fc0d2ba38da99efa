// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/crdctl/crdctl/internal/controlplane/standalone"
	"github.com/crdctl/crdctl/internal/envtest"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

func newEnvtest(s ui.Streams, o *options) *cobra.Command {
	return newGroup("envtest", "Provide the programs of envtest without a download", newEnvtestPath(s, o), newEnvtestSeed(s, o))
}

// askedVersion is the version of Kubernetes that is asked for, by a flag or by the project.
type askedVersion struct{ flag string }

func (a *askedVersion) bind(f *pflag.FlagSet) {
	f.StringVar(&a.flag, "kubernetes-version", "", "Kubernetes `version` to emulate (default: the Makefile's, or crdctl's own)")
}

// find returns the version for the name of a directory, and says on stderr if another one will answer.
func (a *askedVersion) find(s ui.Streams, root string) (string, error) {
	version, where := a.flag, "--kubernetes-version"
	if version == "" {
		var err error
		if version, where, err = envtest.Asked(root); err != nil {
			return "", err
		}
	}
	if version == "" {
		return envtest.Version(), nil
	}
	_, notice, err := standalone.Answers(version)
	if err != nil {
		return "", ui.UsageError(err)
	}
	if notice != "" {
		s.Report().Note("%s: %s", where, notice)
	}
	return version, nil
}

func newEnvtestPath(s ui.Streams, o *options) *cobra.Command {
	var asked askedVersion
	c := &cobra.Command{
		Use:   "path",
		Short: "Print the directory of etcd, kube-apiserver and kubectl, for KUBEBUILDER_ASSETS",
		Long: `Path prints the directory, in the user's cache, in which etcd, kube-apiserver and kubectl are: this program by those names.
In a Makefile:

  export KUBEBUILDER_ASSETS ?= $(shell crdctl envtest path)`,
		Example: "  KUBEBUILDER_ASSETS=$(crdctl envtest path) go test ./...",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			version, err := asked.find(s, moduleRoot(o.dir))
			if err != nil {
				return err
			}
			dir, err := envtest.Path(version)
			if err != nil {
				return err
			}
			return s.Printf("%s", dir)
		},
	}
	asked.bind(c.Flags())
	return c
}

func newEnvtestSeed(s ui.Streams, o *options) *cobra.Command {
	var asked askedVersion
	var binDir string
	c := &cobra.Command{
		Use:   "seed",
		Short: "Fill the project's bin/k8s, where setup-envtest and IDEs look",
		Long: `Seed makes bin/k8s/VERSION-OS-ARCH in the project, with etcd, kube-apiserver and kubectl: links to this program. "setup-envtest use"
treats it as downloaded, and kubebuilder's suite_test.go finds it without any variable. Run it again after moving crdctl.`,
		Example: "  crdctl envtest seed\n  crdctl envtest seed --kubernetes-version 1.36.0",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			root := moduleRoot(o.dir)
			version, err := asked.find(s, root)
			if err != nil {
				return err
			}
			if !filepath.IsAbs(binDir) {
				if workspace.Above(root, "go.mod") == "" {
					return ui.UsageErrorf("no go.mod in %s or any parent directory; %s, or --bin-dir to an absolute path", root, cmp.Or(workspace.ModulesHint(root), setDirHint))
				}
				binDir = filepath.Join(root, binDir)
			}
			dir, err := envtest.Seed(binDir, version)
			if err != nil {
				return err
			}
			return s.Printf("%s", dir)
		},
	}
	asked.bind(c.Flags())
	c.Flags().StringVar(&binDir, "bin-dir", "bin", "setup-envtest's --bin-dir, a `directory` in the project")
	return c
}
