// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// answer is what "crdctl verify -o json" said.
type answer struct {
	Exit     int
	Took     time.Duration
	Trouble  string   // the first line of standard error, where the exit code is 2
	Compared []string `json:"compared"`
	Changes  []struct{ Path, Op string }
	// NotCompared are those about which it says that it says nothing.
	NotCompared []struct{ Paths []string } `json:"notCompared"`
	Notes       []string
}

func (a answer) left() (n int) {
	for _, one := range a.NotCompared {
		n += len(one.Paths)
	}
	return n
}

// progress are the lines that say what takes so long.
var progress = regexp.MustCompile(`(?m)^crdctl: .* \(\d+m?\d*s\)\n`)

// detected is what the notes say about the calls of controller-gen.
func (a answer) detected() string {
	for _, note := range a.Notes {
		if found := calls.FindString(note); found != "" {
			return found
		}
	}
	return "-"
}

var calls = regexp.MustCompile(`controller-gen [^;]*\)`)

// patience bounds one run, with the build of an engine.
const patience = 10 * time.Minute

// verify asks crdctl about a checkout, which must be clean and at the commit of the table.
func verify(ctx context.Context, crdctl, repos string, t table, edited bool) (a answer, err error) {
	root := filepath.Join(repos, filepath.Base(t.Repository))
	if err := clean(ctx, root, t.Commit); err != nil {
		return a, err
	}
	if edited {
		undo, err := addField(filepath.Join(root, t.Edit.File), t.Edit.Line)
		if err != nil {
			return a, err
		}
		defer func() { err = errors.Join(err, undo()) }()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, crdctl, "verify", "-o", "json")
	var out, problems bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = filepath.Join(root, t.Dir), &out, &problems, 5*time.Second
	start := time.Now()
	runErr := cmd.Run()
	a.Took = time.Since(start)
	if exit := (*exec.ExitError)(nil); runErr != nil && !errors.As(runErr, &exit) {
		return a, runErr
	}
	if a.Exit = cmd.ProcessState.ExitCode(); a.Exit != 0 && a.Exit != 1 {
		_, a.Trouble, _ = strings.Cut("\n"+strings.TrimSpace(progress.ReplaceAllString(problems.String(), "")), "\n")
		a.Exit = 2
		return a, ctx.Err()
	}
	return a, json.Unmarshal(out.Bytes(), &a)
}

// clean checks that a checkout is at a commit and has no changes.
func clean(ctx context.Context, root, commit string) error {
	for _, ask := range []struct {
		want string
		args []string
	}{{commit, []string{"rev-parse", "HEAD"}}, {"", []string{"status", "--porcelain"}}} {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, ask.args...)...).Output()
		if err != nil {
			return fmt.Errorf("%s: git %s: %w", root, ask.args[0], err)
		}
		if got := strings.TrimSpace(string(out)); got != ask.want {
			return fmt.Errorf("%s: git %s prints %.200q, not %q; check out %.12s in a clean clone", root, ask.args[0], got, ask.want, commit)
		}
	}
	return nil
}

// addField adds a field after a line. Undo puts the file back.
func addField(file, line string) (undo func() error, err error) {
	before, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	at := "\n" + line + "\n"
	if n := bytes.Count(before, []byte(at)); n != 1 {
		return nil, fmt.Errorf("%s: %d lines are %q, not one", file, n, line)
	}
	field := "\t// CrdctlTrial is new.\n\t// +optional\n\tCrdctlTrial *string `json:\"crdctlTrial,omitempty\"`\n\n"
	after := bytes.Replace(before, []byte(at), []byte(at+field), 1)
	return func() error { return os.WriteFile(file, before, 0o644) }, os.WriteFile(file, after, 0o644)
}
