// SPDX-License-Identifier: Apache-2.0

package cmd

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/ui"
)

// buildInfo is what "version -o json" prints: docs/ci.md has its keys.
type buildInfo struct {
	Version         string     `json:"version"`
	Commit          string     `json:"commit,omitempty"`
	Time            *time.Time `json:"time,omitempty"`
	Dirty           bool       `json:"dirty"`
	Build           string     `json:"build"`
	Kubernetes      string     `json:"kubernetes,omitempty"`
	Etcd            string     `json:"etcd,omitempty"`
	CodeGenerator   string     `json:"codeGenerator,omitempty"`
	ControllerTools string     `json:"controllerTools,omitempty"`
	Go              string     `json:"go"`
	Platform        string     `json:"platform"`
	// Project is what the project's code is generated with, where the project decides.
	Project *projectGenerators `json:"project,omitempty"`
}

type projectGenerators struct {
	CodeGenerator string `json:"codeGenerator"`
	Source        string `json:"source"`
	text          string
}

func newVersion(s ui.Streams, shared *options) *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of crdctl and its components",
		Example: "  crdctl version\n  crdctl version -o json\n  crdctl --version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			b.Project = projectGeneratorsIn(shared.dir)
			return s.Result(output, b, func() error { return s.Printf("%s", b) })
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	return c
}

// String is one line for each part that is linked in.
func (b buildInfo) String() string {
	lines := []string{"crdctl " + b.Version}
	if b.Build != fullBuild {
		lines[0] += " (" + b.Build + " build)"
	}
	for _, part := range [][2]string{{"kubernetes", b.Kubernetes}, {"etcd", b.Etcd}, {"code-generator", b.CodeGenerator}, {"controller-tools", b.ControllerTools}} {
		if part[1] != "" {
			lines = append(lines, part[0]+" "+part[1])
		}
	}
	lines = append(lines, b.Go+" "+b.Platform)
	if b.Project != nil {
		lines = append(lines, "this project: "+b.Project.text)
	}
	return strings.Join(lines, "\n")
}

// version is what a release may be linked with: -ldflags "-X github.com/crdctl/crdctl/cmd.version=v1.2.3".
var version string

// Version is the version that crdctl was built as.
func Version() string { return thisBuild().Version }

func thisBuild() buildInfo {
	b := buildInfo{Build: buildName, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	b.linked()
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
