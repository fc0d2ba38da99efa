// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_gendocs && (crdctl_codegen || crdctl_loop)

package cmd

import (
	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/ui"
)

// newGenDocs returns nothing: this build does not make its own reference.
func newGenDocs(ui.Streams) []*cobra.Command { return nil }
