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
	"path"
	"path/filepath"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/tree"
)

// build compiles the controller and returns the program and its sum. The error has the compiler's own words.
func (d *devLoop) build(ctx context.Context) (binary string, sum [sha256.Size]byte, err error) {
	began := time.Now()
	d.say("building the controller")
	// One place for all builds: the go command links nothing if what is there is up to date.
	built := filepath.Join(d.dir, "built")
	words, err := d.compile(ctx, "build", "-o", built, "./"+path.Clean(d.Project.Controller.Package))
	if ctx.Err() != nil {
		return "", sum, context.Cause(ctx)
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

// compile runs the go command and returns what it prints. Broken off, it takes its own temporary files with it if it
// is asked with SIGINT; those of a compiler that has no time for that are in our folder, and go with that.
func (d *devLoop) compile(ctx context.Context, args ...string) (words string, err error) {
	var out bytes.Buffer
	child, err := proc.Start(proc.Options{
		Path: "go", Args: args, Dir: d.Root, Stdout: &out, Stderr: &out,
		Env: append(os.Environ(), "GOTMPDIR="+d.dir), StopSignal: os.Interrupt, Grace: 2 * time.Second,
	})
	if err != nil {
		return "", err
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		child.Stop()
	}
	return out.String(), child.Err()
}

// generate brings the generated files up to date with the API's types.
func (d *devLoop) generate(ctx context.Context) error {
	result, err := gen.Generate(ctx, d.Root, d.Project, d.Year)
	if err != nil {
		return err
	}
	changes, err := result.Tree.Diff(d.Root)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return nil
	}
	d.say("generated %d files anew", len(changes))
	return tree.Write(d.Root, changes)
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
