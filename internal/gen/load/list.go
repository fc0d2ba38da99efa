// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// Listing is what "go list -deps" says of packages, found without the go command: names, files and imports, nothing
// type-checked.
type Listing struct {
	// Roots are the packages that were asked for. They lead to all others by their Imports.
	Roots []*packages.Package
	// Unread are packages of which ListAlone gives no more than a name. Who needs more of one must have the go command list it.
	Unread []*packages.Package
}

// List lists packages and all that they import. Of Go's own packages the files with cgo are left out: they declare no type that other
// packages see. What the go command does not find, or has other versions for, is ErrUnsupported.
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
	l := &lister{env: env, roots: roots, alone: alone, sizes: types.SizesFor("gc", env.Vars["GOARCH"]), nodes: map[string]*listed{}, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	l.group, ctx = errgroup.WithContext(ctx)
	for _, path := range roots {
		l.want(ctx, path)
	}
	if err := l.group.Wait(); err != nil {
		return nil, err
	}
	return l.listing(roots)
}

// listable refuses settings under which the go command, or another program instead of it, knows more than go.mod says.
func (e *Env) listable() error {
	if driver := os.Getenv("GOPACKAGESDRIVER"); driver != "off" {
		if _, err := exec.LookPath("gopackagesdriver"); err == nil || driver != "" {
			return fmt.Errorf("%w: there is a driver of go/packages", ErrUnsupported)
		}
	}
	if work := e.Vars["GOWORK"]; work != "" && work != "off" {
		return fmt.Errorf("%w: a workspace", ErrUnsupported)
	}
	return nil
}

// lister is one call of List.
type lister struct {
	env   *Env
	roots []string
	alone bool
	sizes types.Sizes
	group *errgroup.Group
	slots chan struct{} // as many as there are processors

	mu    sync.Mutex
	nodes map[string]*listed // by import path
}

// listed is a package on its way.
type listed struct {
	Place
	pkg     *packages.Package
	root    bool
	read    bool     // its files and imports are known
	imports []string // as the files have them
}

// want starts to read a package and what it imports, once.
func (l *lister) want(ctx context.Context, path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nodes[path] != nil {
		return
	}
	n := &listed{root: slices.Contains(l.roots, path), pkg: &packages.Package{ID: path, PkgPath: path, TypesSizes: l.sizes}}
	l.nodes[path] = n
	l.group.Go(func() error {
		l.slots <- struct{}{}
		defer func() { <-l.slots }()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.read(n); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, imported := range n.imports {
			l.want(ctx, imported)
		}
		return nil
	})
}

// read finds a package, and reads the names and imports of its files, as the go command does.
func (l *lister) read(n *listed) (err error) {
	n.pkg.Name = goName(n.pkg.PkgPath)
	if n.pkg.PkgPath == "unsafe" { // its file is documentation, which the go command names and does not compile
		n.Std, n.read = true, !l.alone
		n.pkg.GoFiles = []string{filepath.Join(l.env.Vars["GOROOT"], "src", "unsafe", "unsafe.go")}
		return nil
	}
	n.Place, err = l.env.Find(n.pkg.PkgPath, false)
	if errors.Is(err, ErrUnsupported) && l.alone && !n.root {
		return nil
	}
	if err != nil || l.alone && !n.root && (n.Std || !l.env.own(n.Dir)) {
		return err
	}
	if !n.Std {
		if err := l.env.unambiguous(n.pkg.PkgPath, n.Dir, n.Module); err != nil {
			return err
		}
	}
	return l.files(n)
}

// files reads the files of a package as far as their imports, once for all listings of the environment, which run side by side.
func (l *lister) files(n *listed) error {
	once, _ := l.env.headers.LoadOrStore(n.Dir, sync.OnceValues(func() (*Header, error) {
		read := func() (*Header, error) { return l.header(n) }
		if l.env.memory == nil || l.env.Local(n.Dir) || strings.Contains(l.env.Vars["GOVERSION"], "devel") {
			return read()
		}
		return l.env.memory.Header(l.env.signature(), n.Dir, read)
	}))
	h, err := once.(func() (*Header, error))()
	if err != nil {
		return err
	}
	for _, base := range h.Files {
		n.pkg.GoFiles = append(n.pkg.GoFiles, filepath.Join(n.Dir, base))
	}
	n.pkg.Name, n.pkg.CompiledGoFiles, n.imports, n.read = h.Name, slices.Clone(n.pkg.GoFiles), h.Imports, true
	return nil
}

func (l *lister) header(n *listed) (*Header, error) {
	h := &Header{}
	err := l.env.Files(n.Dir, func(base string, src []byte) error {
		file := filepath.Join(n.Dir, base)
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		if n.Std && slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == `"C"` }) {
			return nil
		}
		if h.Files = append(h.Files, base); len(h.Files) == 1 {
			h.Name = f.Name.Name
		}
		if f.Name.Name != h.Name {
			return fmt.Errorf("%w: the directory has packages %s and %s", ErrUnsupported, h.Name, f.Name.Name)
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil || imported == "C" {
				return fmt.Errorf("%w: import %s", ErrUnsupported, spec.Path.Value)
			}
			if first, _, _ := strings.Cut(imported, "/"); n.Std && strings.Contains(first, ".") {
				imported = "vendor/" + imported // as the go command calls what Go itself vendors
			}
			h.Imports = append(h.Imports, imported)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(h.Files) == 0 {
		return nil, fmt.Errorf("%w: no Go files for this build", ErrUnsupported)
	}
	slices.Sort(h.Imports)
	h.Imports = slices.Compact(h.Imports)
	return h, nil
}

// listing connects the packages by their imports, and refuses those that import each other in a ring: controller-tools would wait
// for itself.
func (l *lister) listing(roots []string) (*Listing, error) {
	out := &Listing{}
	var modules []string
	var all []*listed
	var refused error
	for _, path := range sortedKeys(l.nodes) {
		n := l.nodes[path]
		all = append(all, n)
		if !n.read {
			out.Unread = append(out.Unread, n.pkg)
			continue
		}
		n.pkg.Imports = map[string]*packages.Package{}
		for _, imported := range n.imports {
			to := l.nodes[imported]
			if to.read && to.pkg.Name == "main" || !n.Std && !mayImport(path, imported) {
				refused = fmt.Errorf("%w: %s may not import %s", ErrUnsupported, path, imported)
			}
			n.pkg.Imports[strings.TrimPrefix(imported, "vendor/")] = to.pkg
		}
		if n.Module != nil {
			modules = append(modules, n.Module.Path)
		}
	}
	if found := rings(all, func(n *listed) (next []*listed) {
		for _, imported := range n.imports {
			next = append(next, l.nodes[imported])
		}
		return next
	}); len(found) > 0 {
		return nil, fmt.Errorf("%w: %s imports itself", ErrUnsupported, found[0][0].pkg.PkgPath)
	}
	if refused != nil {
		return nil, refused
	}
	for _, path := range roots {
		out.Roots = append(out.Roots, l.nodes[path].pkg)
	}
	if l.env.vendor != "" {
		return out, nil // the go command has held that to go.mod, and there are no sums of it
	}
	return out, l.env.consistent(modules)
}

// mayImport is the go command's rule of internal packages.
func mayImport(path, imported string) bool {
	imported = "/" + imported + "/"
	i := strings.LastIndex(imported, "/internal/")
	return i < 0 || i > 0 && strings.HasPrefix("/"+path+"/", imported[:i+1])
}

// goName is the name of a package of Go itself that any program may import, by its path.
func goName(p string) string {
	if base := path.Base(p); !majorVersion.MatchString(base) {
		return base
	}
	return path.Base(path.Dir(p))
}
