// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/workspace"
)

// ReadOnly is the environment of go commands that read the module in dir and change nothing of it: -mod=mod, which lets them
// write go.mod and go.sum, becomes -mod=readonly, and of a workspace they see a copy of go.work and its sums, which they
// write in any mode. A vendor directory stays in use where it is. The caller calls done when the commands have ended.
func ReadOnly(ctx context.Context, dir string) (env []string, done func(), err error) {
	return ReadOnlyWith(ctx, dir, nil)
}

// ReadOnlyWith is ReadOnly for go commands with further variables, each NAME=VALUE.
func ReadOnlyWith(ctx context.Context, dir string, more []string) (env []string, done func(), err error) {
	vars, err := Vars(ctx, dir, append(environ(dir), more...))
	if err != nil {
		// The command to come has the words for it.
		return append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "PWD="+dir), func() {}, nil //nolint:nilerr // see above
	}
	return readOnly(vars, dir, more)
}

// readOnly is ReadOnly for what "go env" says.
func readOnly(vars map[string]string, dir string, more []string) (env []string, done func(), err error) {
	env, done = append(environ(dir), more...), func() {}
	flags, work := vars["GOFLAGS"], vars["GOWORK"]
	mod := modOf(flags)
	base := filepath.Dir(vars["GOMOD"])
	inWork := work != "" && work != "off"
	if inWork {
		base = filepath.Dir(work)
	}
	vendored := isDir(filepath.Join(base, "vendor"))
	if settled := settleMod(mod, vendored); settled != mod {
		env = append(env, strings.TrimSpace("GOFLAGS="+flags+" -mod="+settled)) // the last one counts
		mod = settled
	}
	if !inWork || vendored && mod != "readonly" {
		return env, done, nil // what is vendored needs no sums
	}
	copied, err := tempdir.NewRun()
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = copied.Remove() } // the next run sweeps what this one cannot remove
	if err := workspace.CopyGoWork(work, copied.Path, nil); err != nil {
		done()
		return nil, nil, fmt.Errorf("copy %s: %w", work, err)
	}
	return append(env, "GOWORK="+filepath.Join(copied.Path, "go.work")), done, nil
}

// environ is the environment of go commands in dir.
func environ(dir string) []string {
	env := append(os.Environ(), "PWD="+dir)
	if workspace.Ignored(dir) {
		env = append(env, "GOWORK=off")
	}
	return env
}

// settleMod is the value of -mod that commands which change nothing are run with. There is nothing in a vendor directory that
// does not exist: a new project has none, whatever the environment says.
func settleMod(mod string, vendored bool) string {
	if mod == "mod" || mod == "vendor" && !vendored {
		return "readonly"
	}
	return mod
}

// modOf is the value of the last -mod in GOFLAGS, however it is quoted.
func modOf(flags string) (mod string) {
	for _, flag := range strings.Fields(flags) {
		name, value, _ := strings.Cut(strings.Trim(flag, `'"`), "=")
		if name == "-mod" || name == "--mod" {
			mod = value
		}
	}
	return mod
}
