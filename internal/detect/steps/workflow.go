// SPDX-License-Identifier: Apache-2.0

package steps

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/detect/shell"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// workflow is what decides which commands a workflow of GitHub runs, and where.
type workflow struct {
	jobStep `yaml:",inline"`
	Jobs    map[string]struct {
		jobStep `yaml:",inline"`
		Steps   []jobStep
	}
}

// jobStep is a step, or what a job or a workflow has for all of its steps.
type jobStep struct {
	Env      map[string]string
	Run      yaml.Node
	Dir      string `yaml:"working-directory"`
	Defaults struct {
		Run struct {
			Dir string `yaml:"working-directory"`
		}
	}
}

var (
	// checksIn is in a workflow that compares what it generates with what is checked in, or commits it.
	checksIn = lazyregexp.New(`\bgit\s+(diff|status|commit)\b`)
	// workflowValue stands for a value that GitHub puts there.
	workflowValue = lazyregexp.New(`\$\{\{.*?\}\}`)
)

// workflows reads those of GitHub. A project without makefiles and scripts may have its only calls there.
func (x *Reader) workflows() {
	for _, file := range x.glob(".github/workflows/*.y*ml") {
		text, ok := x.text(file)
		if !ok || !x.wanted(text) || !checksIn.MatchString(text) {
			continue
		}
		var w workflow
		if yaml.Unmarshal([]byte(workflowValue.ReplaceAllString(text, "$${_}")), &w) != nil {
			continue
		}
		var commands []shell.Command
		for _, job := range w.Jobs {
			for _, step := range job.Steps {
				commands = append(commands, stepCommands(file, step, job.jobStep, w.jobStep)...)
			}
		}
		slices.SortStableFunc(commands, func(a, b shell.Command) int { return a.Line - b.Line })
		run := &run{Reader: x}
		run.commands(commands, file, 0, nil)
		x.add(file, "generate", run.steps)
	}
}

// stepCommands are the commands of a step, given its job and its workflow: none where its directory is not known.
func stepCommands(file string, step, job, all jobStep) []shell.Command {
	dir := cmp.Or(step.Dir, job.Defaults.Run.Dir, all.Defaults.Run.Dir)
	if strings.Contains(dir, "$") || path.IsAbs(dir) || step.Run.Kind != yaml.ScalarNode {
		return nil
	}
	above := step.Run.Line - 1
	if step.Run.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		above++
	}
	env := map[string]string{}
	for _, e := range []map[string]string{all.Env, job.Env, step.Env} {
		maps.Copy(env, e)
	}
	read := shell.ReadCall(path.Join(shell.Root, file), step.Run.Value, path.Join(shell.Root, dir), shell.Call{Env: env})
	for i := range read.Commands {
		read.Commands[i].Line += above
	}
	return read.Commands
}
