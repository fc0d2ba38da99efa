// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"github.com/crdctl/crdctl/internal/workspace"
)

// Memory remembers what the go command said, while nothing changes that its answer depends on.
type Memory interface {
	// Vars are those of Names in a directory, with an environment; ask asks the go command for them.
	Vars(dir string, environ []string, ask func() (map[string]string, error)) (map[string]string, error)
	// Holds runs a check of the go command, unless it has passed before with the same content in files.
	Holds(dir string, environ, files []string, check func() error) error
	// Header is that of the package in a directory that never changes, in a build; read reads it.
	Header(build, dir string, read func() (*Header, error)) (*Header, error)
}

// Header is what the files of a package say before their declarations.
type Header struct {
	Name           string
	Files, Imports []string // files have no directory
}

type memoryKey struct{}

// WithMemory returns a context in which the go command is asked only for what the memory does not know.
func WithMemory(ctx context.Context, m Memory) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// Names are the variables that Vars asks for, all at once, so that one answer serves all. Those of C compilers are not among them: for
// these the go command would start more children.
var Names = slices.Concat([]string{"GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GO111MODULE"}, counts)

// Vars are the variables of the go command in a directory, with an environment.
func Vars(ctx context.Context, dir string, environ []string) (map[string]string, error) {
	ask := func() (map[string]string, error) { return ask(ctx, dir, environ) }
	if m := memoryOf(ctx); m != nil {
		return m.Vars(dir, environ, ask)
	}
	return ask()
}

func ask(ctx context.Context, dir string, environ []string) (vars map[string]string, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"env", "-json"}, Names...)...)
	cmd.Dir, cmd.Env = dir, environ
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, workspace.ErrNoGo
	}
	if said := bytes.TrimSpace(stderr.Bytes()); err != nil && len(said) > 0 {
		return nil, fmt.Errorf("go env: %w: %s", err, said)
	}
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	if err := json.Unmarshal(out, &vars); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return vars, nil
}

// memoryOf is the memory of a context; nil if there is none.
func memoryOf(ctx context.Context) Memory {
	m, _ := ctx.Value(memoryKey{}).(Memory)
	return m
}

// holds is Holds of the memory, if there is one.
func holds(ctx context.Context, dir string, environ, files []string, check func() error) error {
	if m := memoryOf(ctx); m != nil {
		return m.Holds(dir, environ, files, check)
	}
	return check()
}
