// Package e2e runs the built crdctl as its users do, on real parts: it builds, generates, starts API servers, and
// looks at what is printed and what is left behind. Nothing in it is skipped; what a test needs, it builds.
package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// crdctl is the path of the binary under test.
var crdctl string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "crdctl-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	crdctl = filepath.Join(dir, "crdctl")
	build := exec.Command("go", "build", "-o", crdctl, "..")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build crdctl:", err)
		return 1
	}
	return m.Run()
}
