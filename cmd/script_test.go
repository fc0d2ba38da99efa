// SPDX-License-Identifier: Apache-2.0

package cmd_test

import (
	"bytes"
	"compress/gzip"
	"errors"
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
		// pack LINES FILE writes JSON lines as the file of a recording that was not closed.
		"pack": func() { exit(pack(os.Args[1], os.Args[2])) },
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

func pack(lines, file string) error {
	data, err := os.ReadFile(lines)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		return err
	}
	return errors.Join(w.Close(), os.WriteFile(file, packed.Bytes(), 0o600))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
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
