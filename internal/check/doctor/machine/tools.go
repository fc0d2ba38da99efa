// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// patience is how long a program may take to print its version.
const patience = 10 * time.Second

// goCommand asks the go command outside of any module, where it downloads no other version of itself.
func goCommand(ctx context.Context) (g Go) {
	out, problem := output(ctx, "go", "env", "-json", "GOVERSION", "GOTOOLCHAIN", "GOCACHE", "GOMODCACHE")
	var env struct{ GOVERSION, GOTOOLCHAIN, GOCACHE, GOMODCACHE string }
	if problem == "" {
		if err := json.Unmarshal(out, &env); err != nil {
			problem = err.Error()
		}
	}
	return Go{Version: strings.TrimPrefix(env.GOVERSION, "go"), Toolchain: env.GOTOOLCHAIN, Cache: env.GOCACHE, Modules: env.GOMODCACHE, Problem: problem}
}

// kubectls are the programs of that name in PATH. The same one under several names is there once.
func kubectls(ctx context.Context) []Tool {
	name := "kubectl"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var all []Tool
	var seen []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		file := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(file)
		if err != nil || !filepath.IsAbs(file) || slices.Contains(seen, real) {
			continue
		}
		if found, err := exec.LookPath(file); err == nil {
			seen = append(seen, real)
			all = append(all, Tool{Path: found})
		}
	}
	var asked sync.WaitGroup
	for i := range all {
		asked.Go(func() {
			var v struct {
				ClientVersion struct{ GitVersion string }
			}
			out, problem := output(ctx, all[i].Path, "version", "--client", "-o", "json")
			if problem == "" {
				if err := json.Unmarshal(out, &v); err != nil {
					problem = err.Error()
				}
			}
			all[i].Version, all[i].Problem = v.ClientVersion.GitVersion, problem
		})
	}
	asked.Wait()
	return all
}

// output is what a program prints, or why it does not.
func output(ctx context.Context, program string, args ...string) (out []byte, problem string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = os.TempDir()
	c.WaitDelay = time.Second
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, cmp.Or(first, err.Error())
	}
	return out, ""
}
