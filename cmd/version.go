package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/discover"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crd"
	"github.com/crdctl/crdctl/internal/project"
)

func newVersion(s Streams, shared *options) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of crdctl and of what is in it",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.Out, "crdctl %s\nkubernetes %s\ncode-generator %s\ncontroller-tools %s\n%s %s/%s\n",
				Version(), controlplane.KubernetesVersion, codegen.Version, crd.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			if used := generatorsOf(shared.dir); err == nil && used.Source != "" {
				_, err = fmt.Fprintf(s.Out, "this project: %s\n", used)
			}
			return err
		},
	}
}

// generatorsOf is the version of the generators that a folder's project is generated with. Without a project, or one that
// can't be read, there is none to tell of.
func generatorsOf(dir string) (none gen.Generators) {
	base, err := realPath(dir)
	if err != nil {
		return none
	}
	var p *project.Project
	if root, err := project.Find(base); err == nil {
		if p, err = project.Load(root); err != nil {
			return none
		}
		base = root
	} else if !inModule(base) {
		return none
	} else if found, err := discover.Project(base); err == nil {
		p = found.Project
	} else {
		return none
	}
	used, err := gen.VersionFor(base, p)
	if err != nil {
		return none
	}
	return used
}

// Version is the version that crdctl was built as: that of its module, as "go install" records it.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
