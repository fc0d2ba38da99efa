// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/crdctl/crdctl/internal/git"
)

// errNoRepository is the error where there is no git, or no repository.
var errNoRepository = errors.New("no git repository")

// unknownError is the error of a name that git does not know as a revision.
type unknownError struct{ text string }

func (e *unknownError) Error() string { return e.text }

// ask is what git says, without the line break at its end.
func ask(ctx context.Context, root string, args ...string) (string, error) {
	cmd := git.Command(ctx, root, args...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w could be read: git is not in PATH", errNoRepository)
	case err != nil && strings.Contains(problem.String(), "not a git repository"):
		return "", fmt.Errorf("%w at %s", errNoRepository, root)
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
	if err == nil || errors.Is(err, errNoRepository) || ctx.Err() != nil {
		return id, err
	}
	if _, outside := ask(ctx, root, "rev-parse", "--git-dir"); outside != nil {
		return "", outside // as with a repository of another user
	}
	hint := "name a branch, a tag or a commit that \"git rev-parse\" knows, a directory or a file"
	if _, remote := ask(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", "refs/remotes/origin/"+name+"^{commit}"); remote == nil {
		hint = "did you mean \"origin/" + name + "\"?"
	} else if isShallow(ctx, root) {
		hint = "the clone is shallow: run " + fetchHint(name)
	}
	return "", &unknownError{fmt.Sprintf("--against %s: no such revision; %s", name, hint)}
}

// fetchHint is what makes a revision known to a shallow clone. Only names of branches can be asked for alone; one that no branch may have, as
// HEAD~3, needs the history.
func fetchHint(name string) string {
	const all = `"git fetch --unshallow"`
	branch := strings.TrimPrefix(strings.TrimPrefix(name, "refs/remotes/"), "origin/")
	if branch == "" || branch == "HEAD" || strings.ContainsAny(branch, "~^:?*[\\@ ") {
		return all
	}
	return fmt.Sprintf(`"git fetch --depth=1 origin %[1]s:refs/remotes/origin/%[1]s", or `, branch) + all
}

func isShallow(ctx context.Context, root string) bool {
	shallow, err := ask(ctx, root, "rev-parse", "--is-shallow-repository")
	return err == nil && shallow == "true"
}

// Default is the commit that a change of the project most likely began at: the merge base of HEAD with the default branch. On that branch it is
// HEAD itself, or its first parent if no file that is compared differs from HEAD: nothing is compared with itself. The error says why there is
// none.
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
	name := fmt.Sprintf("%s (merge base %.12s)", short, base)
	if base == head {
		if base, name, err = onDefault(ctx, root, head, short); err != nil {
			return nil, err
		}
	}
	b, err := openGit(ctx, root, base)
	if err != nil {
		return nil, err
	}
	b.Name = name
	return b, nil
}

// onDefault is what the tree is compared with where HEAD is a commit of the default branch: HEAD, if the tree has changes, or else its first
// parent.
func onDefault(ctx context.Context, root, head, short string) (base, name string, err error) {
	changes, err := ask(ctx, root, "status", "--porcelain", "--untracked-files=all", "--ignore-submodules=all", "--", "*.go", "*.yaml", "*.yml", "*.json")
	if err != nil {
		return "", "", err
	}
	if changes != "" {
		return head, fmt.Sprintf("HEAD (%.12s)", head), nil
	}
	parent, err := ask(ctx, root, "rev-parse", "--verify", "--quiet", head+"^1^{commit}")
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err == nil:
		return parent, fmt.Sprintf("HEAD~1 (%.12s; HEAD is on %s, and nothing changed since)", parent, short), nil
	case isShallow(ctx, root):
		return "", "", fmt.Errorf("HEAD is on %s, nothing changed since, and the commit before it is unknown; the clone is shallow: run \"git fetch --deepen=1\", or name the revision to compare with: --against REF", short)
	}
	return "", "", fmt.Errorf("HEAD is the first commit of %s, and nothing changed since; name the revision to compare with: --against REF", short)
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
