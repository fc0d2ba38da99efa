// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// ErrNoRepository is the error where there is no git, or no repository.
var ErrNoRepository = errors.New("no git repository")

// unknownError is the error of a name that git does not know as a revision.
type unknownError struct{ text string }

func (e *unknownError) Error() string { return e.text }

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

// command is git in a directory.
func command(ctx context.Context, root string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager", "-c", "core.fsmonitor=false", "-C", root}, args...)...)
	cmd.Env = environ()
	return cmd
}

// ask is what git says, without the line break at its end.
func ask(ctx context.Context, root string, args ...string) (string, error) {
	cmd := command(ctx, root, args...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w could be read: git is not in PATH", ErrNoRepository)
	case err != nil && strings.Contains(problem.String(), "not a git repository"):
		return "", fmt.Errorf("%w at %s", ErrNoRepository, root)
	case err != nil:
		return "", fmt.Errorf("git %s: %s", args[0], said(problem.String(), err))
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// said is what git printed about its failure, in one line.
func said(problem string, err error) string {
	if lines := strings.Fields(problem); len(lines) > 0 {
		return strings.TrimPrefix(strings.Join(lines, " "), "fatal: ")
	}
	return err.Error()
}

// commit is the ID of the commit that a revision names.
func commit(ctx context.Context, root, name string) (string, error) {
	id, err := ask(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err == nil || errors.Is(err, ErrNoRepository) || ctx.Err() != nil {
		return id, err
	}
	if _, outside := ask(ctx, root, "rev-parse", "--git-dir"); outside != nil {
		return "", outside // as with a repository of another user
	}
	hint := "name a branch, a tag or a commit that \"git rev-parse\" knows, a directory or a file"
	if _, remote := ask(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", "refs/remotes/origin/"+name+"^{commit}"); remote == nil {
		hint = "did you mean \"origin/" + name + "\"?"
	} else if isShallow(ctx, root) {
		hint = "the clone is shallow: run \"git fetch --depth=1 origin " + name + "\", or \"git fetch --unshallow\""
	}
	return "", &unknownError{fmt.Sprintf("--against %s: no such revision; %s", name, hint)}
}

func isShallow(ctx context.Context, root string) bool {
	shallow, err := ask(ctx, root, "rev-parse", "--is-shallow-repository")
	return err == nil && shallow == "true"
}

// Default is the commit that a change of the project most likely began at: the merge base of HEAD with the default branch, which is HEAD itself
// on that branch. The error says why there is none.
func Default(ctx context.Context, root string) (*Base, error) {
	if _, err := ask(ctx, root, "rev-parse", "--git-dir"); err != nil {
		return nil, err
	}
	head, err := commit(ctx, root, "HEAD")
	if err != nil {
		return nil, errors.New("the repository has no commit yet")
	}
	ref, err := defaultBranch(ctx, root)
	if err != nil {
		return nil, err
	}
	short := strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/")
	base, err := ask(ctx, root, "merge-base", head, ref)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		hint := "name the revision to compare with: --against REF"
		if isShallow(ctx, root) {
			hint = "the clone is shallow: run \"git fetch --deepen=100\", or \"git fetch --unshallow\""
		}
		return nil, fmt.Errorf("HEAD and %s have no merge base; %s", short, hint)
	}
	b, err := openGit(ctx, root, base)
	if err != nil {
		return nil, err
	}
	b.Name = fmt.Sprintf("%s (merge base %.12s)", short, base)
	if base == head {
		b.Name = fmt.Sprintf("HEAD (%.12s)", base)
	}
	return b, nil
}

// defaultBranch is the branch that changes go to: of the remote repository, or else of this one.
func defaultBranch(ctx context.Context, root string) (string, error) {
	names := []string{"refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}
	if ref, err := ask(ctx, root, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"); err == nil {
		names = append([]string{ref}, names...)
	}
	for _, name := range names {
		if _, err := ask(ctx, root, "rev-parse", "--verify", "--quiet", name+"^{commit}"); err == nil {
			return name, nil
		}
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	return "", errors.New("the default branch is not known; name the revision to compare with: --against REF, after \"git fetch\" if the clone lacks it")
}
