// SPDX-License-Identifier: Apache-2.0

// Command crdctl scaffolds, generates, verifies and runs Kubernetes CRD controllers. See README.md.
package main

import (
	"os"

	"github.com/crdctl/crdctl/cmd"
	_ "github.com/crdctl/crdctl/internal/startup" // every command starts sooner
	"github.com/crdctl/crdctl/internal/ui"
)

func main() {
	streams := ui.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if code, other := cmd.OtherProgram(os.Args, streams); other {
		os.Exit(code)
	}
	os.Exit(cmd.Main(os.Args[1:], streams, os.Exit))
}
