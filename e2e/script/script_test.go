// SPDX-License-Identifier: Apache-2.0

// Package script runs the scripts that build and test what crdctl generates, or that take minutes, with the built crdctl.
package script

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/internal/binary"
	"github.com/crdctl/crdctl/internal/scripttest"
)

var update = flag.Bool("update", false, "write what the scripts compare with anew")

// program is the environment variable with the path of the crdctl that scripts run.
const program = "CRDCTL_PROGRAM"

// The scripts run this test binary as crdctl, which runs the built one.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"crdctl": func() {
		cmd := exec.Command(os.Getenv(program), os.Args[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, scripttest.Unhurried{}
		if err := cmd.Run(); cmd.ProcessState == nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(125)
		}
		os.Exit(cmd.ProcessState.ExitCode())
	}})
}

// TestScripts runs each file of testdata/script. Without the directory in what is compiled, projects with the same files share
// what the go command has in its cache, also those of earlier runs. That projects please vet is e2e/scaffold's to hold.
func TestScripts(t *testing.T) {
	crdctl, err := binary.Build(t.Context())
	require.NoError(t, err)
	scripttest.Run(t, *update, program+"="+crdctl, "GOFLAGS=-trimpath -vet=off")
}
