// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
	"golang.org/x/tools/go/packages"
)

// unanimous refuses a go.mod that requires a module in two versions, or in one that it excludes: which one is built with, the
// go command decides, or has go.mod tidied first.
func unanimous(file *modfile.File) error {
	seen := map[string]bool{}
	for _, req := range file.Require {
		if seen[req.Mod.Path] {
			return fmt.Errorf("%w: %s is required twice", ErrUnsupported, req.Mod.Path)
		}
		seen[req.Mod.Path] = true
		if slices.ContainsFunc(file.Exclude, func(x *modfile.Exclude) bool { return x.Mod == req.Mod }) {
			return fmt.Errorf("%w: %s is excluded", ErrUnsupported, req.Mod)
		}
	}
	return nil
}

// required is where a required module is, after replacement.
func (e *Env) required(mod modpath.Version, replaced []*modfile.Replace, root string) (module, error) {
	m := module{Module: packages.Module{Path: mod.Path, Version: mod.Version}}
	source := mod
	for _, r := range replaced {
		if r.Old.Path != mod.Path || r.Old.Version != "" && r.Old.Version != mod.Version {
			continue
		}
		source = r.New
		if r.Old.Version != "" {
			break // the one for this very version comes before the one for all
		}
	}
	if source.Version == "" {
		m.Dir, m.nested = filepath.FromSlash(source.Path), true
		if !filepath.IsAbs(m.Dir) {
			m.Dir = filepath.Join(root, m.Dir)
		}
		return m, nil
	}
	m.source = source
	escaped, err := modpath.EscapePath(source.Path)
	if err != nil {
		return m, err
	}
	version, err := modpath.EscapeVersion(source.Version)
	if err != nil {
		return m, err
	}
	m.Dir = filepath.Join(e.Vars["GOMODCACHE"], filepath.FromSlash(escaped)+"@"+version)
	return m, nil
}
