// SPDX-License-Identifier: Apache-2.0

// Package git reads what git knows of a directory. It changes nothing.
package git

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// kept are the variables of git that say what a user trusts and where git is; all others could lead it elsewhere, as those that git sets for
// its hooks do.
var kept = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH"}

// environ is the environment in which git reads, and does nothing else: it takes no locks, asks no server for objects that are missing, and
// shows each object as it is.
func environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.ContainsFunc(kept, func(k string) bool {
			return name == k || strings.HasSuffix(k, "_") && strings.HasPrefix(name, k)
		})
	})
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1")
}

// Command is git in a directory.
func Command(ctx context.Context, root string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager", "-c", "core.fsmonitor=false", "-C", root}, args...)...)
	cmd.Env = environ()
	return cmd
}
