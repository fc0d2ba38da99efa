package cmd

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/ui"
)

// buildInfo is what "version -o json" prints: docs/ci.md has its keys.
type buildInfo struct {
	Version         string     `json:"version"`
	Commit          string     `json:"commit,omitempty"`
	Time            *time.Time `json:"time,omitempty"`
	Dirty           bool       `json:"dirty"`
	Kubernetes      string     `json:"kubernetes"`
	Etcd            string     `json:"etcd"`
	CodeGenerator   string     `json:"codeGenerator"`
	ControllerTools string     `json:"controllerTools"`
	Go              string     `json:"go"`
	Platform        string     `json:"platform"`
	// Project is what the project's code is generated with, where the project decides.
	Project *projectGenerators `json:"project,omitempty"`
}

type projectGenerators struct {
	CodeGenerator string `json:"codeGenerator"`
	Source        string `json:"source"`
}

func newVersion(s ui.Streams, shared *options) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of crdctl and of what is in it",
		Example: "  crdctl version\n  crdctl version -o json\n  crdctl --version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			used := generatorsOf(shared.dir)
			if used.Source != "" {
				b.Project = &projectGenerators{CodeGenerator: used.Version, Source: used.Source}
			}
			return s.Result(output, b, func() error {
				err := s.Printf("crdctl %s\nkubernetes %s\netcd %s\ncode-generator %s\ncontroller-tools %s\n%s %s",
					b.Version, b.Kubernetes, b.Etcd, b.CodeGenerator, b.ControllerTools, b.Go, b.Platform)
				if err == nil && used.Source != "" {
					err = s.Printf("this project: %s", used)
				}
				return err
			})
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return c
}

// generatorsOf is the version of the generators that a project is generated with. Without a project, or one that cannot be read, there
// is none.
func generatorsOf(dir string) gen.Generators {
	at, _ := newSettings(nil).project(&options{dir: dir})
	if at == nil || at.settings == nil { // an error next to settings is that they name no API packages, which a built-in loop does not need
		return gen.Generators{}
	}
	used, err := gen.VersionFor(at.root, at.settings)
	if err != nil {
		return gen.Generators{}
	}
	return used
}

// version is what a release may be linked with: -ldflags "-X github.com/crdctl/crdctl/cmd.version=v1.2.3".
var version string

// Version is the version that crdctl was built as.
func Version() string { return thisBuild().Version }

func thisBuild() buildInfo {
	b := buildInfo{
		Kubernetes: controlplane.KubernetesVersion, Etcd: controlplane.EtcdVersion(), CodeGenerator: codegen.Version, ControllerTools: crdform.Version,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	b.stamp(version, info)
	return b
}

// stamp takes what is known of the sources: the version that the program was linked with, or that of the module, which the go command
// also makes of the commit of a checkout; and the commit itself.
func (b *buildInfo) stamp(linked string, info *debug.BuildInfo) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				b.Time = &t
			}
		}
	}
	b.Version = cmp.Or(linked, info.Main.Version, "(devel)")
}
