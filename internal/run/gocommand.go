// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/workspace"
)

// errNoCache is an error that no saved file helps against: the environment of a process does not change.
func errNoCache(why string) error {
	return fmt.Errorf("the go command has no cache directory: %s; set HOME, or GOCACHE and GOMODCACHE, to writable directories", why)
}

// checkGo reports what keeps the go command from building anything, before a control plane is started in vain. It returns the module
// cache. With race, that is also what the race detector needs.
func checkGo(ctx context.Context, dir string, race bool) (modCache string, err error) {
	if err := workspace.Check(dir); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE", "GOOS", "CGO_ENABLED", "CC")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", workspace.ErrNoGo
	case errors.As(err, &exit):
		return "", fmt.Errorf("go env: %s", strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return "", fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(string(out), "\n")
	for i, name := range []string{"GOCACHE", "GOMODCACHE"} {
		if value := strings.TrimSpace(values[i]); value == "" || value == "off" {
			return "", errNoCache(name + " is not set, and neither is HOME")
		}
	}
	// The module cache may be read-only, if it has all modules; the build cache is always written to.
	if err := os.MkdirAll(strings.TrimSpace(values[0]), 0o700); err != nil {
		return "", errNoCache("GOCACHE: " + err.Error())
	}
	if race {
		err = checkRace(strings.TrimSpace(values[2]), strings.TrimSpace(values[3]), strings.TrimSpace(values[4]))
	}
	return strings.TrimSpace(values[1]), err
}

// checkBuildFlags reports flags that go build does not have, and a last one without its value: it would swallow the flag that
// follows. No saved file helps against these. What is wrong without the flags, too, is for the build to report.
func checkBuildFlags(ctx context.Context, dir, pkg string, flags []string) error {
	if len(flags) == 0 {
		return nil
	}
	const answer = "-f=ok"
	said, err := goList(ctx, dir, append(slices.Clone(flags), answer, pkg)...)
	if err == nil && strings.TrimSpace(said) == "ok" {
		return nil
	}
	if _, wrong := goList(ctx, dir, answer, pkg); wrong != nil {
		return nil //nolint:nilerr // for the build
	}
	if err == nil {
		return fmt.Errorf("build flags: %s: a flag has no value, or a value no flag; write for example -tags=integration", strings.Join(flags, " "))
	}
	why, _, _ := strings.Cut(said, "\n")
	return fmt.Errorf("build flags: %s; correct --build-flags, or controller.buildFlags in %s", strings.TrimPrefix(why, "go: "), config.FileName)
}

// goList returns what "go list" prints about packages: its errors, if there are any.
func goList(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e", "-find"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(exit.Stderr), err
	}
	return string(out), err
}

// checkRace reports what the race detector lacks. Everywhere but on macOS it needs a C compiler, and the go command switches cgo off
// where it finds none.
func checkRace(goos, cgoEnabled, cc string) error {
	compiler, _, _ := strings.Cut(cc, " ")
	_, err := exec.LookPath(compiler)
	switch {
	case goos == "darwin":
		return nil
	case err != nil:
		return fmt.Errorf("--race: the race detector needs a C compiler, and %s is not in PATH; install gcc or clang, or set CC", compiler)
	case cgoEnabled != "1":
		return errors.New("--race: the race detector needs cgo, and CGO_ENABLED is 0; set CGO_ENABLED=1")
	}
	return nil
}
