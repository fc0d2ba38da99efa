// SPDX-License-Identifier: Apache-2.0

//go:build crdctl_codegen || crdctl_loop

package cmd

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
)

// planeCommands are the commands that only the full build has, besides view, and codegenCommands those that the codegen build has, too.
var (
	planeCommands   = []string{"run", "cluster", "kubectl", "test", "envtest"}
	codegenCommands = []string{"init", "create", "delete", "upgrade", "adopt", "generate", "verify", "check", "doctor", "docs", "manifests"}
)

// notInBuild are hidden commands that stand for those that this build leaves out: each names what the build lacks, and the one that has it.
func notInBuild(lacks, has string, names []string) (all []*cobra.Command) {
	for _, name := range names {
		all = append(all, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return notInBuildError(name, lacks, has) },
		})
	}
	return all
}

// notInBuildError is the error of a command or a flag that this build leaves out.
func notInBuildError(what, lacks, has string) error {
	return fmt.Errorf("%s: the %s build of crdctl has no %s; use the %s build: %s", what, buildName, lacks, has, installCommand(has, Version()))
}

// released matches the versions that "go install" can find: those of tags, and of commits that were not changed.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// installCommand is the command that installs a build of the version.
func installCommand(of, version string) string {
	if !released.MatchString(version) {
		version = "latest"
	}
	tags := ""
	if of != fullBuild {
		tags = "-tags crdctl_" + of + " "
	}
	return "go install " + tags + "github.com/crdctl/crdctl@" + version
}
