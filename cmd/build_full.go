// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/chart"
	"github.com/crdctl/crdctl/internal/run/kustomization"
	"github.com/crdctl/crdctl/internal/ui"
)

const buildName = fullBuild

const about = `crdctl scaffolds, generates, verifies and runs Kubernetes controllers for custom resources:

  crdctl init --group stable.example.com --version v1beta1 --kind CronTab
  crdctl generate
  crdctl verify
  crdctl run

The code generators, an API server with etcd, and kubectl are built in. Projects in Go need Go;
"crdctl run --builtin", with hooks in any language or templates, needs nothing else.`

func newCommands(s ui.Streams, o *options) []*cobra.Command {
	return append(newCodegenCommands(s, o), newRun(s, o), newView(s, o), newCluster(s, o), newKubectl(s, o), newTest(s, o), newEnvtest(s, o))
}

// crdsOf reads the CRDs of a file, a directory, a kustomization or a chart that a user named.
func crdsOf(path string) ([]manifest.CRD, error) {
	if kustomization.File(path) == "" && chart.File(path) != "" {
		return chart.CRDs(path)
	}
	return kustomization.CRDs(path)
}

// linked are the versions of what is linked in.
func (b *buildInfo) linked() {
	b.Kubernetes, b.Etcd = controlplane.KubernetesVersion, controlplane.EtcdVersion()
	b.generators()
}
