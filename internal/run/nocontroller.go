// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/ui"
)

// controllerDir is where the controller finds its certificates and other files of the run.
func (d *devLoop) controllerDir() string {
	if d.target.ControllerDir != "" {
		return d.target.ControllerDir
	}
	return d.dir
}

// buildNothing only reads the sources for the flags that the program has: the user builds it.
func (d *devLoop) buildNothing(context.Context, bool) (*binary, error) {
	d.installer.reread()()
	return &binary{}, nil
}

// instructions tell a user how to start the controller. They take the place of its start, and are printed again when they change.
type instructions struct {
	*devLoop
	printed string
}

// launch is a configuration of VS Code's Go extension, whose names others understand as well.
type launch struct {
	Name    string            `json:"name"`
	Type    string            `json:"type"`
	Request string            `json:"request"`
	Mode    string            `json:"mode"`
	Program string            `json:"program"`
	Cwd     string            `json:"cwd"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// print has a line for a shell among the messages, and the configuration on standard output, where it can be copied or piped.
func (i *instructions) print(*binary) error {
	args, env := i.command()
	ours := os.Environ()
	l := launch{
		Name: "controller on crdctl", Type: "go", Request: "launch", Mode: "debug",
		Program: filepath.Join(i.Root, filepath.FromSlash(i.Project.Controller.Package)), Cwd: i.Root,
		Args: append([]string{}, args...), Env: map[string]string{},
	}
	for _, v := range env {
		if !slices.Contains(ours, v) {
			name, value, _ := strings.Cut(v, "=")
			l.Env[name] = value // the last one holds
		}
	}
	line := l.shellLine()
	if line == i.printed {
		return nil
	}
	i.printed = line
	i.reporter.Note("no controller is started; start yours in a shell with")
	i.reporter.Printf("%s", line)
	if lacks, ok := strings.CutPrefix(i.installer.lacks(env), "; "); ok { // no run sees that it ends
		i.reporter.Note("%s", lacks)
	}
	i.reporter.Note("or in an editor; its configuration for VS Code (launch.json) follows; stop the run with Ctrl-C")
	return ui.Streams{Out: i.Out}.JSON(l)
}

// shellLine starts the controller from a shell, in any directory.
func (l launch) shellLine() string {
	words := []string{"env"}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		words = append(words, name+"="+l.Env[name])
	}
	words = slices.Concat(words, []string{"go", "run", l.Program}, l.Args)
	return config.Command{Words: []string{"cd", l.Cwd}}.String() + " && " + config.Command{Words: words}.String()
}
