package run

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdctl/crdctl/internal/proc"
)

// build compiles the controller and returns the program and its sum. The error has the compiler's own words.
func (d *devLoop) build(ctx context.Context) (binary string, sum [sha256.Size]byte, err error) {
	began := time.Now()
	d.say("building the controller")
	// One place for all builds: the go command links nothing if what is there is up to date.
	built := filepath.Join(d.dir, "built")
	words, err := d.compile(ctx, "build", "-o", built, "./"+d.Project.Controller.Package)
	if ctx.Err() != nil {
		return "", sum, context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", sum, errors.New("the go command is not in PATH, and builds the controller; install Go")
	}
	if err != nil {
		return "", sum, fmt.Errorf("the controller does not compile:\n%s", strings.TrimRight(cmp.Or(words, err.Error()), "\n"))
	}
	if sum, err = sumOf(built); err != nil {
		return "", sum, err
	}
	d.say("built in %.1fs", time.Since(began).Seconds())
	// A link that runs, while the next one is built.
	binary = filepath.Join(d.dir, fmt.Sprintf("controller-%x", sum[:8]))
	if err := os.Link(built, binary); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", sum, err
	}
	return binary, sum, nil
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

// compile runs the go command and returns what it prints.
func (d *devLoop) compile(ctx context.Context, args ...string) (words string, err error) {
	var out bytes.Buffer
	// Broken off, the go command takes its temporary files with it if it is asked with SIGINT; those of a compiler that
	// has no time for that are in our folder, and go with that.
	err = d.runChild(ctx, &out, "go", args...)
	return out.String(), err
}

// generate brings the generated files up to date with the API's types. A process of its own does it: the generators
// take over what klog does in theirs, and in this one an API server logs.
func (d *devLoop) generate(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := d.runChild(ctx, d.Err, self, "generate", "--dir", d.Root); err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	return nil
}

// runChild runs a program in the project's folder to its end, or to that of the context.
func (d *devLoop) runChild(ctx context.Context, out io.Writer, path string, args ...string) error {
	child, err := proc.Start(proc.Options{
		Path: path, Args: args, Dir: d.Root, Stdout: out, Stderr: out,
		Env: append(os.Environ(), "GOTMPDIR="+d.dir), StopSignal: os.Interrupt, Grace: 2 * time.Second,
	})
	if err != nil {
		return err
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		child.Stop()
	}
	return child.Err()
}

// installCRDs installs the CRDs if they are others than those that are installed.
func (d *devLoop) installCRDs(ctx context.Context) error {
	if d.SkipCRDs {
		return nil
	}
	crds, err := d.CRDs()
	if err != nil || apiequality.Semantic.DeepEqual(crds, d.installed) {
		return err
	}
	if err := d.target.install(ctx, crds...); err != nil {
		return err
	}
	d.installed = crds
	d.say("installed %s", names(crds))
	return nil
}
