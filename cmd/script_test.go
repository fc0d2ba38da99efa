// SPDX-License-Identifier: Apache-2.0

package cmd_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/cmd"
	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/scripttest"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

var update = flag.Bool("update", false, "write what the scripts compare with anew")

// The scripts run this test binary as crdctl.
func TestMain(m *testing.M) {
	testscript.Main(ownConfig{m}, map[string]func(){
		"crdctl": func() {
			os.Exit(cmd.Main(os.Args[1:], ui.Streams{In: os.Stdin, Out: os.Stdout, Err: scripttest.Unhurried{}}, os.Exit))
		},
		// cisteps PAGE DIR writes what a page of the documentation has CI systems run to a directory.
		"cisteps": func() { exit(ciSteps(os.Args[1], os.Args[2])) },
		// makerecording LINES FILE makes a recording of lines.
		"makerecording": func() { exit(makeRecording(os.Args[1], os.Args[2])) },
		// makecluster ROOT makes the directory of a control plane in the background that does not run.
		"makecluster": func() {
			dir, err := state.CreateCluster(os.Args[1])
			if err == nil {
				err = dir.Close()
			}
			exit(err)
		},
	})
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeRecording(lines, path string) error {
	content, err := os.ReadFile(lines)
	if err != nil {
		return err
	}
	_, err = trace.SaveFile(path, filepath.Base(lines), func(yield func(trace.Record, error) bool) {
		for line := range bytes.Lines(content) {
			rec, err := trace.Parse(bytes.TrimSpace(line))
			if !yield(rec, err) {
				return
			}
		}
	})
	return err
}

// ownConfig runs the tests without the configuration of the user who tests; those in this process need it as the scripts do.
type ownConfig struct{ m *testing.M }

func (o ownConfig) Run() int { return safefstest.Run(o.m) }

// TestScripts holds what the command line does: testdata/script has a file for each command and case. Those that build what
// was generated are in e2e/script.
func TestScripts(t *testing.T) {
	docs, err := filepath.Abs("../docs")
	require.NoError(t, err)
	scripttest.Run(t, *update, "DOCS="+docs)
}
