// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// manuals makes the man pages and shell completions of a build, by a program that runs on this machine and can write man pages.
func (r *release) manuals(ctx context.Context, temp, build string) (all []file, err error) {
	program := filepath.Join(temp, build+"-here")
	if err := r.compile(ctx, program, runtime.GOOS, runtime.GOARCH, build, "crdctl_gendocs"); err != nil {
		return nil, err
	}
	if all, err = manPages(ctx, program, filepath.Join(temp, build+"-man")); err != nil {
		return nil, err
	}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		script, err := exec.CommandContext(ctx, program, "completion", shell).Output()
		if err != nil {
			return nil, err
		}
		f := file{from: filepath.Join(temp, build+"."+shell), name: "completions/crdctl." + shell, mode: 0o644}
		if err := os.WriteFile(f.from, script, 0o600); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, os.Remove(program)
}

func manPages(ctx context.Context, program, dir string) (all []file, err error) {
	if out, err := exec.CommandContext(ctx, program, "gendocs", "man", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	pages, err := os.ReadDir(dir)
	for _, page := range pages {
		all = append(all, file{from: filepath.Join(dir, page.Name()), name: "man/man1/" + page.Name(), mode: 0o644})
	}
	return all, err
}
