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
	"strings"
	"time"
)

// programs are what is compared.
type programs struct{ crdctl, crdify, checker string }

// verdict is what a program says of a change: lines that make it fail, and lines that do not.
type verdict struct {
	errors, others []string
	trouble        string // why there is no verdict
	took, cpu      time.Duration
}

// judge has the programs compare the two sides of a change.
func (p programs) judge(ctx context.Context, tmp string, c *change) error {
	dir, err := os.MkdirTemp(tmp, "")
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"old.yaml": c.was, "project/crd.yaml": c.is,
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o600)); err != nil {
			return err
		}
	}
	old, now := filepath.Join(dir, "old.yaml"), filepath.Join(dir, "project", "crd.yaml")
	if err := p.runCrdctl(ctx, c, old, filepath.Join(dir, "project")); err != nil {
		return err
	}
	if err := p.runCrdify(ctx, c, old, now); err != nil {
		return err
	}
	return p.runChecker(ctx, c, old, now)
}

// execute runs a program, whose findings are not an error.
func (v *verdict) execute(ctx context.Context, name string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	start := time.Now()
	err = cmd.Run()
	v.took = time.Since(start)
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		err = nil
	}
	if cmd.ProcessState != nil {
		v.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if cmd.ProcessState.ExitCode() > 1 {
			v.trouble, _, _ = strings.Cut(strings.TrimSpace(problems.String()), "\n")
		}
	}
	return out.String(), problems.String(), err
}

func (p programs) runCrdctl(ctx context.Context, c *change, old, project string) error {
	stdout, _, err := c.crdctl.execute(ctx, p.crdctl, "check", "compat", "-C", project, "--crd-dir", ".", "--against", old, "-o", "json")
	if err != nil {
		return err
	}
	var report struct {
		Findings []struct{ Rule, Severity, Category, Subject, Message string }
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		c.crdctl.trouble += " " + err.Error()
		return nil
	}
	for _, f := range report.Findings {
		line := fmt.Sprintf("%s: %s: %s [%s %s]", f.Severity, f.Subject, f.Message, f.Category, f.Rule)
		if f.Severity == "error" {
			c.crdctl.errors = append(c.crdctl.errors, line)
		} else {
			c.crdctl.others = append(c.crdctl.others, line)
		}
	}
	return nil
}

func (p programs) runCrdify(ctx context.Context, c *change, old, now string) error {
	stdout, stderr, err := c.crdify.execute(ctx, p.crdify, "file://"+old, "file://"+now, "-o", "json")
	if err != nil {
		return err
	}
	type comparison struct {
		Name             string
		Errors, Warnings []string
	}
	type versions []struct {
		Version             string
		PropertyComparisons []struct {
			Property          string
			ComparisonResults []comparison
		}
	}
	var report struct {
		CRDValidation                                  []comparison
		SameVersionValidation, ServedVersionValidation versions
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil && strings.TrimSpace(stdout) != "" {
		return fmt.Errorf("%s: %w: %s", p.crdify, err, stdout)
	} else if err != nil {
		c.crdify.trouble = strings.TrimSpace(stderr)
	}
	add := func(at string, all []comparison) {
		for _, r := range all {
			for _, e := range r.Errors {
				c.crdify.errors = append(c.crdify.errors, fmt.Sprintf("%s: %s [%s]", at, e, r.Name))
			}
			for _, w := range r.Warnings {
				c.crdify.others = append(c.crdify.others, fmt.Sprintf("%s: %s [%s]", at, w, r.Name))
			}
		}
	}
	add("CRD", report.CRDValidation)
	for _, list := range []versions{report.SameVersionValidation, report.ServedVersionValidation} {
		for _, v := range list {
			for _, property := range v.PropertyComparisons {
				add(v.Version+" "+property.Property, property.ComparisonResults)
			}
		}
	}
	return nil
}

func (p programs) runChecker(ctx context.Context, c *change, old, now string) error {
	stdout, stderr, err := c.checker.execute(ctx, p.checker, "check-manifests", "--existing-crd-filename="+old, "--new-crd-filename="+now)
	if err != nil {
		return err
	}
	for line := range strings.Lines(stdout + stderr) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "ERROR: "):
			c.checker.errors = append(c.checker.errors, strings.TrimPrefix(line, "ERROR: "))
		case strings.HasPrefix(line, "Warning: "), strings.HasPrefix(line, "info: "):
			c.checker.others = append(c.checker.others, line)
		case line != "" && c.checker.trouble == "":
			c.checker.trouble = line
		}
	}
	return nil
}
