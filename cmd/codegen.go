// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/ui"
)

// newCodegenCommands are the commands of every build that has the generators.
func newCodegenCommands(s ui.Streams, o *options) []*cobra.Command {
	return []*cobra.Command{
		newInit(s, o), newCreate(s, o), newDelete(s, o), newUpgrade(s, o), newAdopt(s, o), newGenerate(s, o), newVerify(s, o), newCheck(s, o), newDoctor(s, o), newDocs(s, o),
		newManifests(s, o),
	}
}

// generators are the versions of the generators that are linked in.
func (b *buildInfo) generators() {
	b.CodeGenerator, b.ControllerTools = codegen.Version, crdform.Version
}
