// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

// errSuperseded is the error of a build whose sources changed meanwhile; the change is pending.
var errSuperseded = errors.New("the sources changed during the build")

// build compiles the controller. The error has the compiler's own words. Generated tells that generate ran right before.
func (d *devLoop) build(ctx context.Context, generated bool) (*binary, error) {
	began := time.Now()
	d.reporter.Note("building the controller")
	// One place for all builds: the go command links nothing if what is there is up to date.
	built := filepath.Join(d.dir, "built")
	explanation := ""
	if !d.builtOnce {
		explanation = "the first build compiles client-go and takes minutes on a slow machine"
	}
	shown, done := ui.Lines(d.Err).Explain(explanation).Show(ctx, "building the controller")
	defer done()
	reread := d.installer.reread()
	words, err := d.compile(shown, began, generated, built)
	reread()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, errSuperseded):
		d.reporter.Note("the sources changed during the build; starting over")
		return nil, err
	case errors.Is(err, exec.ErrNotFound):
		return nil, target.Broken(workspace.ErrNoGo)
	case err != nil && strings.Contains(words, "build cache"), err != nil && strings.Contains(words, "module cache"):
		return nil, target.Broken(errNoCache(strings.TrimSpace(words)))
	case err != nil:
		return nil, notBuilt(d.Root, cmp.Or(words, err.Error()))
	}
	sum, err := sumOf(built)
	if err != nil {
		return nil, err
	}
	d.builtOnce = true
	d.reporter.Note("built in %.1fs", time.Since(began).Seconds())
	// A link that runs, while the next one is built.
	path := filepath.Join(d.dir, fmt.Sprintf("%s%x", binaryPrefix, sum[:8]))
	if err := os.Link(built, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return &binary{path: path, sum: sum}, nil
}

// notBuilt is the error of a build in the module of root that failed with the output of the go command.
func notBuilt(root, output string) error {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ": "+syscall.ENOSPC.Error()) { // of each package that is left
			return fmt.Errorf("the controller cannot be built: %s; free some space, or set TMPDIR and GOCACHE to directories on another disk", line)
		}
	}
	short, hint := ui.ShortenGo(root, strings.TrimRight(output, "\n"))
	switch {
	case hint != "" && !strings.Contains(short, "\n"):
		return fmt.Errorf("the go command cannot load the controller: %s; %s", short, hint)
	case hint != "": // nothing was compiled
		return fmt.Errorf("the go command cannot load the controller:\n%s\n%s", short, hint)
	}
	return fmt.Errorf("the controller does not compile:\n%s", short)
}

func sumOf(file string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), errors.Join(err, f.Close())
}

// compile builds a program and returns what the go command says. It is broken off when sources change that it may have read.
func (d *devLoop) compile(ctx context.Context, began time.Time, generated bool, program string) (words string, err error) {
	var out bytes.Buffer
	args := slices.Concat([]string{"build"}, d.buildFlags(), []string{"-v", "-o", program, "./" + d.Project.Controller.Package})
	child, err := d.startChild(ui.GoOutput(ctx, &out), "go", args...)
	if err != nil {
		return "", err
	}
	for {
		select {
		case <-child.Done():
			return out.String(), child.Err()
		case <-ctx.Done():
			child.Stop()
			return "", context.Cause(ctx)
		case c := <-d.watcher.Changes:
			if fresh := d.since(c, began, generated); !fresh.IsZero() {
				d.pending = d.pending.Add(fresh)
			}
			if len(d.pending.Sources) > 0 || d.pending.All {
				child.Stop()
				return "", errSuperseded
			}
		}
	}
}

// races reports whether the controller is built with the race detector.
func (o *Options) races() bool {
	return o.Race || slices.ContainsFunc(o.BuildFlags, func(f string) bool { return f == "-race" || f == "--race" })
}

// buildFlags are the flags of go build. Those of the debugger come first, so that the user's own of the same name win.
func (o *Options) buildFlags() (flags []string) {
	if o.Debugger != nil {
		flags = append(flags, "-gcflags=all=-N -l")
	}
	if o.Race {
		flags = append(flags, "-race")
	}
	return append(flags, o.BuildFlags...)
}

// since is a change without the files that generate wrote before a build began, and that were told of after. Others may
// be new whatever their time says: a copy has that of its original.
func (d *devLoop) since(c fswatch.Change, began time.Time, generated bool) fswatch.Change {
	old := func(path string) bool {
		info, err := os.Stat(d.file(path))
		return err == nil && info.ModTime().Before(began)
	}
	c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(path string) bool { return old(path) && isGenerated(d.file(path)) })
	// The API server is told of manifests after generate, too.
	c.Manifests = slices.DeleteFunc(slices.Clone(c.Manifests), func(path string) bool { return generated && old(path) })
	return c
}

func (d *devLoop) file(path string) string { return filepath.Join(d.Root, filepath.FromSlash(path)) }

func isGenerated(file string) bool {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
	return err == nil && ast.IsGenerated(parsed)
}

// generate brings the generated files up to date with the API's types. A process of its own does it: the generators
// take over what klog does in theirs, and in this one an API server logs.
func (d *devLoop) generate(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out := d.Err
	if _, marked := out.(*ui.MarginWriter); !marked { // else the controller's lines stand among those of the generators
		prefixed := ui.Prefixed(out, "crdctl: ")
		defer prefixed.End()
		out = prefixed
	}
	child, err := d.startChild(out, self, "generate", "--dir", d.Root, "--known-notes", filepath.Join(d.dir, "notes"))
	if err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		child.Stop()
		return context.Cause(ctx)
	}
	if err := child.Err(); err != nil {
		return errNotGenerated
	}
	return nil
}

// errNotGenerated follows the generators' own words.
var errNotGenerated = errors.New("generate failed, so CRDs and clients may be stale; fix the error above, or run with --skip-generate")

// startChild starts a program in the project's directory. Broken off, the go command takes its temporary files with it if it
// is asked with SIGINT; those of a compiler that has no time for that are in our directory, and go with that.
func (d *devLoop) startChild(out io.Writer, path string, args ...string) (*proc.Process, error) {
	return proc.Start(proc.Options{
		Path: path, Args: args, Dir: d.Root, Stdout: out, Stderr: out,
		Env: append(os.Environ(), "GOTMPDIR="+d.dir), StopSignal: os.Interrupt, Grace: 2 * time.Second,
	})
}
