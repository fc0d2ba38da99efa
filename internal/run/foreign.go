// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// testDirs are where projects keep the CRDs of others, for their tests.
var testDirs = []string{"test", "tests", "testdata", "config", "hack"}

// moduleTrees are what modules may have their CRDs anywhere below, besides the packages of their types.
var moduleTrees = []string{"config", "deploy", "manifests", "charts", "install", "helm"}

// moduleDirs are where most modules keep their CRDs.
var moduleDirs = slices.Concat(crdDirs, []string{"config/crd/standard", "package/crds", "artifacts/crds", "example/prometheus-operator-crd"})

// foreignCRDs are the CRDs of other projects whose kinds the program uses, and that nothing of known has: from the modules that have
// their types, as go.mod names them and the module cache in modCache has them, or else from the project's tests. Nothing here converts
// between their versions.
func foreignCRDs(root, modCache string, kinds []mainpkg.Kind, known []manifest.CRD) (found []manifest.CRD) {
	read := map[string][]manifest.CRD{} // by directory
	in := func(dir string, from func(string) []manifest.CRD) []manifest.CRD {
		if _, ok := read[dir]; !ok {
			read[dir] = from(dir)
		}
		return read[dir]
	}
	for _, kind := range kinds {
		is := func(crd manifest.CRD) bool { return provides(crd, kind) }
		if slices.ContainsFunc(known, is) || slices.ContainsFunc(found, is) {
			continue
		}
		places := []func() []manifest.CRD{func() []manifest.CRD {
			return in(root, func(dir string) []manifest.CRD { return crdsBelow(dir, testDirs) })
		}}
		if dir, pkg := moduleDir(root, modCache, kind.Package); dir != "" {
			places = slices.Insert(places, 0,
				func() []manifest.CRD { return in(dir, crdsOfModule) },
				func() []manifest.CRD {
					return in(filepath.Join(dir, pkg), func(string) []manifest.CRD {
						return inRoot(dir, crdsBelow(dir, append(slices.Clone(moduleTrees), pkg)))
					})
				},
				func() (all []manifest.CRD) {
					for _, dir := range relatives(root, modCache, strings.TrimSuffix(kind.Package, "/"+filepath.ToSlash(pkg))) {
						all = append(all, in("all of "+dir, func(string) []manifest.CRD { return crdsAnywhere(dir) })...)
					}
					return all
				})
		}
		for _, crds := range places {
			all := slices.DeleteFunc(slices.Clone(crds()), func(crd manifest.CRD) bool { return !is(crd) })
			if len(all) > 0 {
				// A module may have kinds of one name in several groups, in packages that are named after these.
				crd := all[max(0, slices.IndexFunc(all, func(crd manifest.CRD) bool {
					group, _, _ := strings.Cut(crd.Spec.Group, ".")
					return slices.Contains(strings.Split(kind.Package, "/"), group)
				}))]
				crd.CustomResourceDefinition = crd.DeepCopy()
				crd.Spec.Conversion = nil
				found = append(found, crd)
				break
			}
		}
	}
	return found
}

// provides reports whether a CRD has the kind of a Go type: its package is named after the version.
func provides(crd manifest.CRD, kind mainpkg.Kind) bool {
	version := path.Base(kind.Package)
	return crd.Spec.Names.Kind == kind.Name && slices.ContainsFunc(crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
}

// moduleDir is where the module of a package is on this machine, and where the package is in it; "" where that is not known.
func moduleDir(root, modCache, pkg string) (dir, rel string) {
	gomod, data, err := workspace.ReadAbove(root, "go.mod")
	if err != nil {
		return "", ""
	}
	file, err := modfile.Parse(gomod, data, nil)
	if err != nil {
		return "", ""
	}
	var best module.Version
	for _, r := range file.Require {
		if strings.HasPrefix(pkg+"/", r.Mod.Path+"/") && len(r.Mod.Path) > len(best.Path) {
			best = r.Mod
		}
	}
	rel = filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(pkg, best.Path), "/"))
	for _, r := range file.Replace {
		if r.Old.Path == best.Path && (r.Old.Version == "" || r.Old.Version == best.Version) {
			best = r.New
			if best.Version == "" {
				return filepath.Join(filepath.Dir(gomod), filepath.FromSlash(best.Path)), rel
			}
		}
	}
	escaped, err1 := module.EscapePath(best.Path)
	version, err2 := module.EscapeVersion(best.Version)
	if best.Path == "" || err1 != nil || err2 != nil {
		return "", ""
	}
	return filepath.Join(modCache, filepath.FromSlash(escaped)+"@"+version), rel
}

// relatives are where the modules are on this machine that may have the CRDs of the types of another, as far as go.mod names them: those that it is
// nested in, as sigs.k8s.io/cluster-api/api is, and the module api next to it. Istio has its Go types in istio.io/client-go, and their CRDs in
// istio.io/api.
func relatives(root, modCache, modulePath string) (dirs []string) {
	paths := []string{path.Join(path.Dir(modulePath), "api")}
	for parent := path.Dir(modulePath); parent != "."; parent = path.Dir(parent) {
		paths = append(paths, parent)
	}
	for _, p := range paths {
		if dir, rel := moduleDir(root, modCache, p); dir != "" && rel == "" && p != modulePath {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// crdsAnywhere are the CRDs of a module, without those that it has for tests, examples and documentation.
func crdsAnywhere(dir string) []manifest.CRD {
	return inRoot(dir, crdsBelow(dir, []string{"."}, "test", "tests", "testdata", "e2e", "hack", "docs", "example", "examples", "vendor"))
}

func crdsOfModule(dir string) (all []manifest.CRD) {
	for _, d := range moduleDirs {
		if crds, err := manifest.CRDsIn(dir, filepath.FromSlash(d)); err == nil {
			all = append(all, inRoot(dir, crds)...)
		}
	}
	return all
}

// inRoot has the files of CRDs named from anywhere.
func inRoot(root string, crds []manifest.CRD) []manifest.CRD {
	for i := range crds {
		crds[i].File = filepath.Join(root, crds[i].File)
	}
	return crds
}

// crdsBelow reads the CRDs below directories of a root, but for directories with some names. What cannot be read is none.
func crdsBelow(root string, dirs []string, but ...string) (all []manifest.CRD) {
	for _, dir := range dirs {
		_ = filepath.WalkDir(filepath.Join(root, dir), func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && slices.Contains(but, d.Name()) {
				return fs.SkipDir
			}
			if err != nil || d.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(p)) {
				return nil
			}
			if data, err := safefs.ReadFile(p, safefs.MaxFile); err != nil || !bytes.Contains(data, []byte("CustomResourceDefinition")) {
				return nil
			}
			if crds, err := manifest.CRDsIn(root, below(root, p)); err == nil {
				all = append(all, crds...)
			}
			return nil
		})
	}
	return all
}
