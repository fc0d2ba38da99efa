package load

import (
	"context"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// Listing is what "go list -deps" says of packages, found without the go command: names, files and imports, nothing
// type-checked.
type Listing struct {
	// Roots are the packages that were asked for. They lead to all others by their Imports.
	Roots []*packages.Package
	// Unread are packages of which there is no more than a name. Who needs more of one must have the go command list it.
	Unread []*packages.Package
}

// List lists packages and all that they import outside of Go itself. Of Go's own packages, those that the roots import
// are listed with their files; all others are unread. Whatever the go command has something to say about, or may have,
// is ErrUnsupported.
func List(ctx context.Context, env *Env, roots []string) (*Listing, error) {
	return list(ctx, env, roots, false)
}

// ListAlone lists packages for who reads nothing but their own files. What they import may be missing.
func ListAlone(ctx context.Context, env *Env, roots []string) (*Listing, error) {
	return list(ctx, env, roots, true)
}

func list(ctx context.Context, env *Env, roots []string, alone bool) (*Listing, error) {
	if err := env.listable(); err != nil {
		return nil, err
	}
	l := &lister{env: env, alone: alone, sizes: types.SizesFor("gc", env.Vars["GOARCH"]), nodes: map[string]*listed{}}
	if l.sizes == nil {
		return nil, fmt.Errorf("%w: sizes of types on %s", ErrUnsupported, env.Vars["GOARCH"])
	}
	out := &Listing{}
	for _, path := range roots {
		n := l.node(path)
		if n.root {
			return nil, fmt.Errorf("%w: %s is asked for twice", ErrUnsupported, path)
		}
		n.root = true
		out.Roots = append(out.Roots, n.pkg)
	}
	if err := l.walk(ctx, roots); err != nil {
		return nil, err
	}
	if !alone {
		l.readGo()
	}
	if err := l.connect(); err != nil {
		return nil, err
	}
	for _, path := range sortedKeys(l.nodes) {
		if n := l.nodes[path]; !n.read {
			out.Unread = append(out.Unread, n.pkg)
		}
	}
	if err := env.consistent(l.modules()); err != nil {
		return nil, err
	}
	return out, nil
}

// listable refuses settings under which the go command, or another program in its place, knows more than go.mod says.
func (e *Env) listable() error {
	if driver := os.Getenv("GOPACKAGESDRIVER"); driver != "off" {
		if _, err := exec.LookPath("gopackagesdriver"); err == nil || driver != "" {
			return fmt.Errorf("%w: there is a driver of go/packages", ErrUnsupported)
		}
	}
	if work := e.Vars["GOWORK"]; e.vendor != "" || work != "" && work != "off" {
		return fmt.Errorf("%w: a workspace, or a vendor folder", ErrUnsupported)
	}
	return nil
}

// lister is one call of List.
type lister struct {
	env   *Env
	alone bool
	sizes types.Sizes

	mu    sync.Mutex
	nodes map[string]*listed // by import path
}

// listed is a package on its way.
type listed struct {
	pkg     *packages.Package
	dir     string
	module  *packages.Module
	std     bool
	root    bool
	read    bool     // its files and imports are known
	imports []string // as the files have them
}

// node is the package of a path, new or not.
func (l *lister) node(path string) *listed {
	n, ok := l.nodes[path]
	if !ok {
		n = &listed{pkg: &packages.Package{ID: path, PkgPath: path, TypesSizes: l.sizes}}
		l.nodes[path] = n
	}
	return n
}

// walk reads packages and what they import, side by side.
func (l *lister) walk(ctx context.Context, roots []string) error {
	group, ctx := errgroup.WithContext(ctx)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var start func(path string, n *listed)
	start = func(path string, n *listed) {
		group.Go(func() error {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := l.read(path, n); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			for _, imported := range n.imports {
				if _, ok := l.nodes[imported]; !ok && imported != "unsafe" {
					start(imported, l.node(imported))
				}
			}
			return nil
		})
	}
	l.mu.Lock()
	for _, path := range roots {
		start(path, l.nodes[path])
	}
	l.mu.Unlock()
	return group.Wait()
}
