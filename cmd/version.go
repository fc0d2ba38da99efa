package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crd"
)

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of crdctl and of what is in it",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.Out, "crdctl %s\nkubernetes %s\ncode-generator %s\ncontroller-tools %s\n%s %s/%s\n",
				Version(), controlplane.KubernetesVersion, codegen.Version, crd.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// Version is the version that crdctl was built as: that of its module, as "go install" records it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
