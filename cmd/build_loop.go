// SPDX-License-Identifier: Apache-2.0

//go:build crdctl_loop

package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/ui"
)

const buildName = loopBuild

const about = `crdctl runs its built-in controller for custom resources on an existing cluster:

  crdctl run --builtin --context staging -f crd.yaml --hook ./sync.py --owns apps/v1/Deployment

This is the loop build: generate, verify and scaffolding are in the codegen build, and everything is in the full build.`

func newCommands(s ui.Streams, o *options) []*cobra.Command {
	all := append([]*cobra.Command{newRun(s, o)}, notInBuild("generators", codegenBuild, codegenCommands)...)
	return slices.Concat(all, notInBuild("control plane", fullBuild, planeCommands[1:]), notInBuild("view of recordings", fullBuild, []string{"view"}))
}

// linked are the versions of what is linked in.
func (*buildInfo) linked() {}

// projectGeneratorsIn returns nil: this build generates nothing.
func projectGeneratorsIn(string) *projectGenerators { return nil }

// crdsOf reads the CRDs of a file or a directory that a user named.
func crdsOf(path string) ([]manifest.CRD, error) {
	if file := manifest.Kustomization(path); file != "" {
		return nil, notInBuildError(file, "kustomize", fullBuild)
	}
	return manifest.CRDs(path)
}
