//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/ui"
)

const buildName = fullBuild

const about = `crdctl takes a Kubernetes controller for custom resources from an idea to a running program:

  crdctl init --group stable.example.com --version v1beta1 --kind CronTab
  crdctl generate
  crdctl verify
  crdctl run

Nothing but Go is needed: the code generators, an API server with etcd, and kubectl are in this program.`

func newCommands(s ui.Streams, o *options) []*cobra.Command {
	return append(newCodegenCommands(s, o), newRun(s, o), newCluster(s, o), newKubectl(s, o), newTest(s, o), newEnvtest(s, o), newGenDocs(s))
}

// linked are the versions of what is linked in.
func (b *buildInfo) linked() {
	b.Kubernetes, b.Etcd = controlplane.KubernetesVersion, controlplane.EtcdVersion()
	b.generators()
}
