// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

var notInPath = regexp.MustCompile(`[^a-z0-9._~-]+`)

// ModulePath returns the path of a new project's module: the one that the user gave, else that of the bare go.mod in
// its directory, else one made from the directory's name, under a domain that has no owner.
func ModulePath(given, existing, folder string) (string, error) {
	if given != "" && existing != "" && given != existing {
		return "", fmt.Errorf("--module %q differs from the module of the existing go.mod, %s; omit --module", given, existing)
	}
	if p := cmp.Or(given, existing); p != "" {
		err := module.CheckImportPath(p)
		if err == nil && Vendored(p) {
			err = errors.New("the path element vendor is reserved for vendor directories")
		}
		if err != nil {
			return "", fmt.Errorf("--module %q is not a module path, for example github.com/you/crontab: %w", p, err)
		}
		return p, nil
	}
	name := strings.Trim(notInPath.ReplaceAllString(strings.ToLower(folder), "-"), "-.")
	p := path.Join("example.com", name)
	if name == "" || module.CheckImportPath(p) != nil || Vendored(p) {
		return "", fmt.Errorf("the directory's name %q does not make a module path; give one with --module, for example --module github.com/you/crontab", folder)
	}
	return p, nil
}

// Vendored reports whether the packages below a path could not be imported: the go command cuts the paths of imports behind an
// element vendor.
func Vendored(slashed string) bool {
	return slices.Contains(strings.Split(slashed, "/"), "vendor")
}

// BareModule returns the path of a go.mod that says nothing but its module and Go's version, as "go mod init" makes
// it: such a file loses nothing when the project's own takes its place.
func BareModule(goMod []byte) (modulePath string, bare bool) {
	f, err := modfile.Parse("go.mod", goMod, nil)
	if err != nil || f.Module == nil {
		return "", false
	}
	bare = len(f.Require)+len(f.Replace)+len(f.Exclude)+len(f.Retract)+len(f.Tool)+len(f.Godebug)+len(f.Ignore) == 0 && f.Toolchain == nil
	return f.Module.Mod.Path, bare
}
