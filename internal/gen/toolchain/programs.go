// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/workspace"
)

// newFlags is the first version whose programs are built on gengo/v2 and have the flags of [Generator]. Older programs run as they are, each in
// a process of its own: few projects have them, so there is no second host that would run them in one.
const newFlags = "v0.30.0-beta.0"

// Old reports whether a version is older than these flags. Its programs take a package that does not load for an empty one.
func Old(version string) bool { return semver.Compare(version, newFlags) < 0 }

// oldPrograms is the kind of engine that has the programs of an older version, unchanged.
var oldPrograms = kind{module: module, files: oldProgramFiles, write: writeOldPrograms}

// oldMain calls one of upstream's main functions. The programs put their own name into what they generate.
const oldMain = `package main

import "os"

func main() {
	os.Args = os.Args[1:]
	mains[os.Args[0]]()
}
`

func oldProgramFiles() []source { return []source{{"main.go", []byte(oldMain)}} }

func writeOldPrograms(ctx context.Context, g *goCommand, dir, version string) ([]string, error) {
	upstream, err := g.download(ctx, dir, module, version)
	if err != nil {
		return nil, err
	}
	modules, _, err := moduleFiles(upstream, module, version, "")
	if err != nil {
		return nil, err
	}
	dirs, err := workspace.Glob(upstream, "cmd/*-gen")
	if err != nil {
		return nil, err
	}
	mains, err := adapt(dirs, nil)
	if err != nil {
		return nil, err
	}
	return nil, write(dir, slices.Concat(oldProgramFiles(), mains, modules))
}

// runPrograms is Run for programs of an older version.
func (e *Toolchain) runPrograms(ctx context.Context, dir string, boilerplate []byte, gens []Generator, mayLoad []string) (files []File, notes []string, err error) {
	pkg, err := workspace.ImportPaths{}.Of(dir)
	if err != nil {
		return nil, nil, err
	}
	_ = tempdir.Sweep(os.TempDir(), tempdir.RunPrefix) // run in spite of what others left
	scratch, err := tempdir.New(os.TempDir(), tempdir.RunPrefix)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, scratch.Remove()) }()
	header := filepath.Join(scratch.Path, "header")
	if err := os.WriteFile(header, bytes.ReplaceAll(boilerplate, []byte("YEAR"), []byte(hiddenYear)), 0o600); err != nil {
		return nil, nil, err
	}
	read := slices.Clone(mayLoad)
	for _, gen := range gens {
		read = append(read, slices.Concat(gen.Inputs, named(gen.Flags))...)
	}
	env := os.Environ()
	if gopath := filepath.Join(scratch.Path, "gopath"); linkPackages(ctx, dir, gopath, read) {
		env = append(env, "GO111MODULE=off", "GOFLAGS=", "GOPATH="+gopath)
	}
	runs := make([]oldRun, len(gens))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, gen := range gens {
		runs[i] = newOldRun(gen, filepath.Join(scratch.Path, fmt.Sprint(i)), header)
		g.Go(func() error { return runs[i].run(ctx, e, dir, env) })
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	for _, r := range runs {
		made, err := r.files(dir, pkg)
		if err != nil {
			return nil, nil, err
		}
		files, notes = append(files, made...), append(notes, r.notes...)
	}
	return files, notes, nil
}

// hiddenYear stands for the word YEAR in headers, which upstream would replace.
const hiddenYear = "crdctl-y-e-a-r"

// oldRun is a run of a program of an older version.
type oldRun struct {
	gen      Generator
	args     []string
	scratch  string
	dir, pkg string   // where the output of a package belongs, for generators that are told
	report   string   // where the report on API rules belongs
	byHand   []string // what stands in scratch for files that a person wrote
	notes    []string
}

// newOldRun translates the flags of a generator. Those that are empty are left out, since the program may not know them yet.
func newOldRun(gen Generator, scratch, header string) oldRun {
	r := oldRun{gen: gen, scratch: scratch}
	r.args = []string{gen.Name, "--go-header-file", header, "--output-base", filepath.Join(scratch, "out")}
	if gen.Name != "client-gen" { // which has them in --input
		r.args = append(r.args, "--input-dirs", strings.Join(gen.Inputs, ","))
	}
	for i := 0; i < len(gen.Flags); i++ {
		name := gen.Flags[i]
		if strings.Contains(name, "=") || i+1 == len(gen.Flags) || strings.HasPrefix(gen.Flags[i+1], "--") {
			r.args = append(r.args, name)
			continue
		}
		i++
		value := gen.Flags[i]
		switch name {
		case "--output-dir":
			r.dir = value
			continue
		case "--output-pkg":
			name, r.pkg = "--output-package", value
		case "--output-file":
			name, value = "--output-file-base", strings.TrimSuffix(value, ".go")
		case "--report-filename":
			r.report, value = value, filepath.Join(scratch, "report")
		}
		if value != "" || name == "--input-base" {
			r.args = append(r.args, name, value)
		}
	}
	return r
}

func (r *oldRun) run(ctx context.Context, e *Toolchain, dir string, env []string) error {
	if err := errors.Join(os.MkdirAll(r.scratch, 0o700), r.showByHand(dir)); err != nil {
		return err
	}
	if err := r.start(ctx, e, dir, env, r.args...); err != nil || r.gen.Name != "deepcopy-gen" || len(r.gen.Inputs) < 2 {
		return err
	}
	// An alias in another package replaces the comments of a type, and so its tags. A call for the package alone reads them, as newer versions do.
	for _, input := range r.gen.Inputs {
		made, err := workspace.Glob(filepath.Join(r.scratch, "out", filepath.FromSlash(input)), "*.go")
		if err != nil {
			return err
		}
		if len(made) > 0 {
			continue
		}
		alone := slices.Clone(r.args)
		alone[slices.Index(alone, "--input-dirs")+1] = input
		if err := r.start(ctx, e, dir, env, alone...); err != nil {
			return err
		}
	}
	return nil
}

// showByHand has the program find the files by whose mere names it writes other code: it looks for them next to its output.
func (r *oldRun) showByHand(dir string) error {
	if r.dir == "" {
		return nil
	}
	from := r.at(dir, r.dir)
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		base := filepath.Base(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == from:
			return nil // there is nothing yet
		case err != nil, base == "generated_expansion.go", !strings.HasSuffix(base, "_expansion.go") && base != "register_custom.go":
			return err
		}
		to := filepath.Join(r.scratch, "out", filepath.FromSlash(r.pkg), strings.TrimPrefix(name, from))
		r.byHand = append(r.byHand, to)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, nil, 0o600))
	})
}

// at is a path of a flag, which may be relative to dir.
func (*oldRun) at(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// start runs the program with arguments.
func (r *oldRun) start(ctx context.Context, e *Toolchain, dir string, env []string, args ...string) error {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, e.binary, args...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = dir, env, &stderr, patience
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	out := strings.ReplaceAll(stderr.String(), filepath.Join(r.scratch, "out")+string(filepath.Separator), "") // what a user cannot look into
	said := logged(out)
	if err != nil {
		return fmt.Errorf("%s %s: %s", r.gen.Name, e.Version, cmp.Or(said['F'], lastWords(out), err.Error()))
	}
	if said['E'] != "" {
		r.notes = append(r.notes, strings.Split(said['E'], "\n")...)
	}
	return nil
}

// logLine is a line of klog.
var logLine = regexp.MustCompile(`^([IWEF])\d{4} \S+ +\d+ \S+:\d+\] (?:Error: )?(.*)$`)

// logged are the messages of each severity in a log. The warnings are about types of other packages. What gengo fails with has a line for each
// package, and klog writes the stacks of all goroutines after it.
func logged(stderr string) map[byte]string {
	said := map[byte]string{}
	fatal := false
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		level := byte('F')
		if found := logLine.FindStringSubmatch(line); found != nil {
			level, line = found[1][0], found[2]
			fatal = level == 'F'
		} else if fatal = fatal && !strings.HasPrefix(line, "goroutine "); !fatal || line == "" {
			continue
		}
		said[level] = strings.TrimPrefix(said[level]+"\n"+line, "\n")
	}
	return said
}

// files are those that the program wrote, at the places where they belong. pkg is the import path of dir.
func (r *oldRun) files(dir, pkg string) (files []File, err error) {
	if r.report != "" {
		content, err := os.ReadFile(filepath.Join(r.scratch, "report"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		files = append(files, File{Path: r.at(dir, r.report), Content: content, Generator: r.gen.Name})
	}
	if r.dir == "" {
		r.dir, r.pkg = dir, pkg
	}
	out := filepath.Join(r.scratch, "out")
	err = filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == out {
			return nil // it had nothing to write
		}
		if err != nil || d.IsDir() || slices.Contains(r.byHand, name) {
			return err
		}
		rel, err := filepath.Rel(out, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !text.Below(r.pkg, rel) {
			return fmt.Errorf("%s wrote package %s, which is not below %s", r.gen.Name, path.Dir(rel), r.pkg)
		}
		content, err := os.ReadFile(name) //nolint:gosec // the directory is ours alone
		content = bytes.ReplaceAll(content, []byte(hiddenYear), []byte("YEAR"))
		files = append(files, File{Path: filepath.Join(r.at(dir, r.dir), strings.TrimPrefix(rel, r.pkg)), Content: content, Generator: r.gen.Name})
		return err
	})
	return files, err
}
