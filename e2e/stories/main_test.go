// SPDX-License-Identifier: Apache-2.0

// Package stories runs the built crdctl as its users do, on real parts: it builds, generates, starts API servers, and
// looks at what is printed and what is left behind. Nothing in it is skipped; what a test needs, it builds. It links no
// API server: what it knows of one, it asks crdctl.
package stories

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/e2e/internal/binary"
)

var (
	crdctl   string // path of the binary under test
	scratch  string // directory of what the stories share
	otherCRD string // a CRD of another kind, so that a control plane can be run with it
)

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) (code int) {
	err := prepare()
	defer func() { _ = os.RemoveAll(scratch) }()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("3") // also on two cores, since most stories wait most of the time
	}
	defer func() {
		if err := shared.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "control plane of the stories:", err)
			code = 1
		}
	}()
	return m.Run()
}

// prepare sets the variables above.
func prepare() (err error) {
	if scratch, err = os.MkdirTemp("", "crdctl-e2e-"); err != nil {
		return err
	}
	if crdctl, err = binary.Build(context.Background()); err != nil {
		return err
	}
	crd, err := os.ReadFile("testdata/small/config/crd/other.yaml")
	otherCRD = string(crd)
	return errors.Join(err, ownConfig(filepath.Join(scratch, "config")))
}

// ownConfig keeps crdctl's key out of the configuration of the user who tests, keeps what that sets for the go command, and drops
// flags that are for the build of this repository. Without the directory in what is compiled, projects with the same files share
// what the go command has in its cache, also those of earlier runs.
func ownConfig(dir string) error {
	file, err := exec.Command("go", "env", "GOENV").Output()
	if err != nil {
		return fmt.Errorf("go env GOENV: %w", err)
	}
	return errors.Join(os.Setenv("GOENV", strings.TrimSpace(string(file))), os.Setenv("XDG_CONFIG_HOME", dir), os.Setenv("GOFLAGS", "-trimpath"))
}
