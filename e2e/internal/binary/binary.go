// SPDX-License-Identifier: Apache-2.0

// Package binary builds crdctl for the tests that run it. It is for tests alone, and runs nothing.
package binary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/testcache"
	"github.com/crdctl/crdctl/internal/lockfile"
)

// Build returns the path of a crdctl of the sources of this module: the one that $CRDCTL names, as "make test" does, or one in a
// place that outlives the test, where the go command links it again only after a change.
//
// The go command keeps the results of tests, and knows of the files and variables that they read, but not of the programs that they run.
// $E2E_RUN, which "make test" has differ from run to run, has tests that run crdctl run always.
func Build(ctx context.Context) (path string, err error) {
	_ = os.Getenv("E2E_RUN")
	if path := os.Getenv("CRDCTL"); path != "" {
		return path, nil
	}
	return Small(ctx, "")
}

// Small returns the path of a crdctl that is built with a tag, crdctl_codegen or crdctl_loop, of the sources of this module.
func Small(ctx context.Context, tag string) (path string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find crdctl's module: %w", err)
	}
	root := strings.TrimSpace(string(out))
	dir, err := testcache.Dir("crdctl", []string{root}, func(string) error { return nil })
	if err != nil {
		return "", err
	}
	lock, err := lockfile.Lock(ctx, dir, func() {})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	path = filepath.Join(dir, cmp.Or(tag, "crdctl"))
	build := exec.CommandContext(ctx, "go", "build", "-tags", tag, "-ldflags=-w", "-o", path, ".")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build crdctl: %w\n%s", err, said)
	}
	return path, nil
}
