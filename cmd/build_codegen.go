// SPDX-License-Identifier: Apache-2.0

//go:build crdctl_codegen && !crdctl_loop

package cmd

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/run/kustomization"
	"github.com/crdctl/crdctl/internal/ui"
)

const buildName = codegenBuild

const about = `crdctl scaffolds, generates and verifies Kubernetes controllers for custom resources:

  crdctl init --group stable.example.com --version v1beta1 --kind CronTab
  crdctl generate
  crdctl verify

This is the codegen build: run, view, test, cluster, envtest and kubectl are in the full build.`

func newCommands(s ui.Streams, o *options) []*cobra.Command {
	return slices.Concat(newCodegenCommands(s, o), notInBuild("control plane", fullBuild, planeCommands), notInBuild("view of recordings", fullBuild, []string{"view"}))
}

// crdsOf reads the CRDs of a file, a directory or a kustomization that a user named.
func crdsOf(path string) ([]manifest.CRD, error) { return kustomization.CRDs(path) }

// linked are the versions of what is linked in.
func (b *buildInfo) linked() { b.generators() }
