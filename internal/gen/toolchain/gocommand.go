// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/ui"
)

// goCommand is the user's go command, for work outside of the user's modules.
type goCommand struct {
	path    string
	version string
	env     []string
}

// goOf finds the go command. Proxy, checksum database and caches are as the user set them; what concerns the module that
// the user is in, or another system than this one, is not: an engine runs here.
func goOf(ctx context.Context) (*goCommand, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("building the generators of another version needs the go command: %w; install Go", err)
	}
	g := &goCommand{path: path}
	g.env = append(os.Environ(), "GOWORK=off", "GO111MODULE=on", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "CGO_ENABLED=0", "GODEBUG=", "GOEXPERIMENT=")
	// In a directory of no module, GOTOOLCHAIN chooses the version that engines are built with.
	set, err := load.Vars(ctx, os.TempDir(), append(slices.Clone(g.env), "PWD="+os.TempDir()))
	if err != nil {
		return nil, err
	}
	g.version = set["GOVERSION"]
	flags := []string{"-mod=mod"}
	if slices.Contains(strings.Fields(set["GOFLAGS"]), "-modcacherw") {
		flags = append(flags, "-modcacherw")
	}
	g.env = append(g.env, "GOFLAGS="+strings.Join(flags, " "))
	return g, nil
}

// goError is what the go command said when it failed.
type goError struct {
	args []string
	said string
	err  error
}

func (e *goError) Error() string {
	return fmt.Sprintf("go %s: %s", e.args[0], strings.ReplaceAll(cmp.Or(e.said, e.err.Error()), "\n", "\n  "))
}

func (e *goError) Unwrap() error { return e.err }

func (g *goCommand) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, g.path, args...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(g.env), "PWD="+dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, ui.GoOutput(ctx, &stderr)
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return stdout.Bytes(), &goError{args: args, said: words(stderr.String()), err: err}
	}
	return stdout.Bytes(), nil
}

// words is what the go command said, without the progress that it talks of.
func words(stderr string) string {
	var kept []string
	for line := range strings.Lines(stderr) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "go: downloading ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// download makes sure that a module is in the module cache, and returns its directory.
func (g *goCommand) download(ctx context.Context, dir, path, version string) (string, error) {
	out, err := g.run(ctx, dir, "mod", "download", "-json", path+"@"+version)
	var said struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &said); jsonErr != nil {
		return "", errors.Join(err, fmt.Errorf("read the output of go mod download: %w", jsonErr))
	}
	if failed, ok := errors.AsType[*goError](err); ok {
		failed.said = said.Error
	}
	return said.Dir, err
}
