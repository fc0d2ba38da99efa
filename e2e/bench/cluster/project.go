package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
	"github.com/crdctl/crdctl/internal/controlplane/state"
)

const (
	controllerFile = "internal/controller/crontab.go"
	typesFile      = "pkg/apis/stable/v1beta1/types.go"
	crontabsPath   = "/apis/stable.example.com/v1beta1/namespaces/default/crontabs"
	crontab        = `{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","metadata":{"name":"bench"},"spec":{"cronSpec":"* * * * *"}}`
)

// What crdctl and the controller of the project say on standard error.
const (
	saysBuilding   = "crdctl: building the controller"
	saysBuilt      = "crdctl: built in"
	saysBrokenOff  = "crdctl: the sources changed meanwhile"
	saysStarted    = `"Event handlers set up"`
	saysReconciled = `"Processing CronTab"`
)

// edit is a change of a file of the project. It is another one in each round, which no cache has seen.
type edit struct {
	name string // in the table
	file string
	line string // after which it goes
	text string // with a %d for the round
}

// edits are the two of the issue.
func edits() []edit {
	return []edit{
		{"one line in crontab.go", controllerFile, "\t// This is the place for what your controller does.\n", "\tlogger.V(4).Info(\"bench %d\")\n"},
		{"a new field in types.go", typesFile, "type CronTabSpec struct {\n", "\t// Bench%[1]d is new.\n\t// +optional\n\tBench%[1]d string `json:\"bench%[1]d,omitempty\"`\n\n"},
	}
}

// save makes the change as an editor does, all in a file beside the old one, which then takes its name, and returns when
// that happened.
func (e edit) save(project string, round int) (at time.Time, err error) {
	file := filepath.Join(project, filepath.FromSlash(e.file))
	old, err := os.ReadFile(file)
	if err != nil {
		return at, err
	}
	content, err := e.apply(string(old), round)
	if err != nil {
		return at, err
	}
	beside := filepath.Join(filepath.Dir(file), ".bench-save") // crdctl passes it over
	if err := os.WriteFile(beside, []byte(content), 0o644); err != nil {
		return at, err
	}
	at = time.Now()
	return at, os.Rename(beside, file)
}

func (e edit) apply(content string, round int) (string, error) {
	before, after, found := strings.Cut(content, e.line)
	if !found || strings.Contains(after, e.line) {
		return "", fmt.Errorf("%s: the line %q is not there once; mend the edits of the bench", e.file, strings.TrimSpace(e.line))
	}
	return before + e.line + fmt.Sprintf(e.text, round) + after, nil
}

// initProject makes the project of the README.
func (b *bench) initProject(ctx context.Context, dir, project string) error {
	_, err := measure.Run(ctx, measure.Side{Dir: dir, Env: b.env(), Argv: []string{b.crdctl, "init", "-C", project, "--group", "stable.example.com",
		"--version", "v1beta1", "--kind", "CronTab", "--field", "cronSpec:string", "--field", "image:string", "--field", "replicas:int32"}})
	return err
}

// copyProject gives a folder the project's files, and leaves alone those that it has already: the go command, too, knows a file
// that did not change. What crdctl run keeps for itself is not copied.
func copyProject(project, to string) error {
	return filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == state.Name {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(project, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if there, err := os.ReadFile(target); err == nil && bytes.Equal(there, data) {
			return nil
		}
		return os.WriteFile(target, data, 0o644)
	})
}
