// SPDX-License-Identifier: Apache-2.0

//go:build crdctl_codegen || crdctl_loop

package cmd

import "github.com/crdctl/crdctl/internal/ui"

// OtherProgram reports that this build is not another program under any name.
func OtherProgram([]string, ui.Streams) (code int, other bool) { return 0, false }
