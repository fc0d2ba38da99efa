package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/gen/codegen"
)

// The tags that ask for generators, as kube_codegen.sh greps for them.
var (
	deepCopyTag = regexp.MustCompile(`(?m)^\s*//\s*\+k8s:deepcopy-gen=`)
	clientTag   = regexp.MustCompile(`(?m)^\s*//\s*\+genclient`)
	kindTag     = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:(object:root=true|resource\b|storageversion|subresource\b)`)
)

var (
	groupTag = regexp.MustCompile(`(?m)^\s*//\s*\+groupName=(\S+)`)
	// otherTag are tags of generators that crdctl does not run yet.
	otherTag = regexp.MustCompile(`(?m)^\s*//\s*\+k8s:((?:defaulter|conversion|validation|openapi|register|prerelease-lifecycle)-gen)=`)
)

// apiPackage is a folder of Go files below one of the project's API folders.
type apiPackage struct {
	dir        string // slash-separated, relative to the root
	importPath string

	deepCopy, client, kinds bool // what its tags ask for
	groups                  []string
	others                  []string // generators that are asked for and that crdctl does not run yet
}

// asks tells whether the package asks for anything at all.
func (p apiPackage) asks() bool { return p.deepCopy || p.client || p.kinds }

func (p apiPackage) versioned() bool { return codegen.VersionFolder.MatchString(path.Base(p.dir)) }

// scan finds the API packages below the folders apis of root, in the order of their paths' bytes, each once.
func scan(root string, apis []string) ([]apiPackage, error) {
	found := map[string]*apiPackage{}
	modules := moduleFinder{}
	for _, api := range apis {
		top := filepath.Join(root, filepath.FromSlash(api))
		if info, err := os.Stat(top); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return nil, fmt.Errorf("apis: %s is not a folder of %s; name the folders of the API packages in crdctl.yaml", api, root)
		}
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if n := d.Name(); n == ".git" || n == "_output" || n == "vendor" {
					return fs.SkipDir
				}
				return nil
			case !strings.HasSuffix(p, ".go") || !d.Type().IsRegular():
				return nil
			}
			src, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			deepCopy, client, kinds := deepCopyTag.Match(src), clientTag.Match(src), kindTag.Match(src)
			groups, others := submatches(groupTag, src), submatches(otherTag, src)
			if !deepCopy && !client && !kinds && len(groups)+len(others) == 0 {
				return nil
			}
			abs := filepath.Dir(p)
			rel, err := filepath.Rel(root, abs)
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(rel)
			pkg, ok := found[dir]
			if !ok {
				importPath, err := modules.importPath(abs)
				if err != nil {
					return err
				}
				pkg = &apiPackage{dir: dir, importPath: importPath}
				found[dir] = pkg
			}
			pkg.deepCopy = pkg.deepCopy || deepCopy
			pkg.client = pkg.client || client
			pkg.kinds = pkg.kinds || kinds
			pkg.groups = append(pkg.groups, groups...)
			pkg.others = append(pkg.others, others...)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look for API packages: %w", err)
		}
	}
	var all []apiPackage
	for _, p := range found {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b apiPackage) int { return strings.Compare(a.dir, b.dir) })
	return all, nil
}

func submatches(pattern *regexp.Regexp, src []byte) []string {
	var all []string
	for _, m := range pattern.FindAllSubmatch(src, -1) {
		all = append(all, string(m[1]))
	}
	return all
}

// moduleFinder finds the module that a folder is in, and remembers: folder to import path.
type moduleFinder map[string]string

// importPath is the import path of a folder, by the nearest go.mod above it.
func (m moduleFinder) importPath(dir string) (string, error) {
	if known, ok := m[dir]; ok {
		return known, nil
	}
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	switch {
	case err == nil:
		modPath := modfile.ModulePath(data)
		if modPath == "" {
			return "", fmt.Errorf("%s has no module line; add one with \"go mod edit -module PATH\"", filepath.Join(dir, "go.mod"))
		}
		m[dir] = modPath
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	case dir == filepath.Dir(dir):
		return "", errors.New("no go.mod in the project's folder or above it; make one with \"go mod init\"")
	default:
		parent, err := m.importPath(filepath.Dir(dir))
		if err != nil {
			return "", err
		}
		m[dir] = path.Join(parent, filepath.Base(dir))
	}
	return m[dir], nil
}
