// SPDX-License-Identifier: Apache-2.0

package cmd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// workflow is what is read of a workflow of GitHub Actions, and of the settings of pre-commit.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct{ Name, Uses, Run string }
	}
	Repos []struct {
		Repo  string
		Hooks []struct {
			Entry, Language string
			PassFilenames   *bool `yaml:"pass_filenames"`
		}
	}
}

var codeBlock = regexp.MustCompile("(?ms)^```(yaml|sh)\n(.*?)^```$")

// ciSteps writes what a page of the documentation has CI systems run to a directory: the step of each workflow as 1.sh and so on, the
// entry of pre-commit as the last of these, and the hook of git as hook.
func ciSteps(page, dir string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	n := 0
	for _, m := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		name, content := "hook", m[2]
		if m[1] == "yaml" {
			n++
			name = fmt.Sprintf("%d.sh", n)
			var w workflow
			if err := yaml.Unmarshal([]byte(m[2]), &w); err != nil {
				return fmt.Errorf("%w in\n%s", err, m[2])
			}
			if content = w.command(); content == "" {
				return fmt.Errorf("not a workflow that checks out, sets up Go, installs crdctl and runs one step, nor a local hook:\n%s", m[2])
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			return err
		}
	}
	return nil
}

var install = regexp.MustCompile(`^go install -tags crdctl_codegen "?github.com/crdctl/crdctl@`)

// command is the one step that is not the installing, or the entry of the one hook.
func (w workflow) command() (run string) {
	for _, r := range w.Repos {
		if h := r.Hooks[0]; r.Repo == "local" && h.Language == "system" && h.PassFilenames != nil && !*h.PassFilenames {
			return h.Entry
		}
	}
	steps := w.Jobs["verify"].Steps
	if len(steps) < 4 || !strings.HasPrefix(steps[0].Uses, "actions/checkout@") || !strings.HasPrefix(steps[1].Uses, "actions/setup-go@") {
		return ""
	}
	for _, s := range steps {
		switch {
		case s.Run == "", s.Name == "Install crdctl" && install.MatchString(s.Run):
		case run != "":
			return ""
		default:
			run = s.Run
		}
	}
	return run
}
