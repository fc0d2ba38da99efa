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

// moduleDirs are where modules keep their CRDs.
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
		var all []manifest.CRD
		if dir := moduleDir(root, modCache, kind.Package); dir != "" {
			all = in(dir, crdsOfModule)
		}
		i := slices.IndexFunc(all, is)
		if i < 0 {
			all = in(root, crdsOfTests)
			i = slices.IndexFunc(all, is)
		}
		if i >= 0 {
			crd := all[i]
			crd.CustomResourceDefinition = crd.DeepCopy()
			crd.Spec.Conversion = nil
			found = append(found, crd)
		}
	}
	return found
}

// provides reports whether a CRD has the kind of a Go type: its package is named after the version.
func provides(crd manifest.CRD, kind mainpkg.Kind) bool {
	version := path.Base(kind.Package)
	return crd.Spec.Names.Kind == kind.Name && slices.ContainsFunc(crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
}

// moduleDir is where the module of a package is on this machine; "" where that is not known.
func moduleDir(root, modCache, pkg string) string {
	gomod, data, err := workspace.ReadAbove(root, "go.mod")
	if err != nil {
		return ""
	}
	file, err := modfile.Parse(gomod, data, nil)
	if err != nil {
		return ""
	}
	var best module.Version
	for _, r := range file.Require {
		if strings.HasPrefix(pkg+"/", r.Mod.Path+"/") && len(r.Mod.Path) > len(best.Path) {
			best = r.Mod
		}
	}
	for _, r := range file.Replace {
		if r.Old.Path == best.Path && (r.Old.Version == "" || r.Old.Version == best.Version) {
			best = r.New
			if best.Version == "" {
				return filepath.Join(filepath.Dir(gomod), filepath.FromSlash(best.Path))
			}
		}
	}
	escaped, err1 := module.EscapePath(best.Path)
	version, err2 := module.EscapeVersion(best.Version)
	if best.Path == "" || err1 != nil || err2 != nil {
		return ""
	}
	return filepath.Join(modCache, filepath.FromSlash(escaped)+"@"+version)
}

func crdsOfModule(dir string) (all []manifest.CRD) {
	for _, d := range moduleDirs {
		crds, err := manifest.CRDsIn(dir, filepath.FromSlash(d))
		if err != nil {
			continue
		}
		for _, crd := range crds {
			crd.File = filepath.Join(dir, crd.File)
			all = append(all, crd)
		}
	}
	return all
}

// crdsOfTests reads the CRDs below the directories of tests. What cannot be read is none.
func crdsOfTests(root string) (all []manifest.CRD) {
	for _, dir := range testDirs {
		_ = filepath.WalkDir(filepath.Join(root, dir), func(p string, d fs.DirEntry, err error) error {
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
