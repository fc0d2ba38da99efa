// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/safefs"
)

// consistent holds modules that have packages of a build to what the go command asks of them before it builds: go.sum knows
// them by the sums that they have, none wants a later version of another module, or of Go, than go.mod has, and Go is new
// enough.
func (e *Env) consistent(paths []string) error {
	known, err := readSums(filepath.Join(filepath.Dir(e.Vars["GOMOD"]), "go.sum"))
	if err != nil {
		return err
	}
	selected := map[string]string{}
	for _, m := range e.modules {
		selected[m.Path] = m.Version
		if m.Main {
			selected["go"] = m.GoVersion // which the go command selects as if it were a module
		}
	}
	running, _, _ := strings.Cut(e.Vars["GOVERSION"], " ")
	for _, m := range e.modules {
		if !slices.Contains(paths, m.Path) {
			continue
		}
		if m.GoVersion != "" && version.Compare("go"+m.GoVersion, running) > 0 {
			return fmt.Errorf("%w: %s needs Go %s", ErrUnsupported, m.Path, m.GoVersion)
		}
		if m.Main {
			continue
		}
		file := filepath.Join(m.Dir, "go.mod")
		if m.source.Version != "" {
			if err := e.summed(m.source, known); err != nil {
				return err
			}
			if file, err = e.downloaded(m.source, ".mod"); err != nil {
				return err
			}
		}
		if err := e.agrees(file, selected); err != nil {
			return err
		}
	}
	return nil
}

// summed holds a module to go.sum. The sum of what was downloaded is in a file next to it; where that is missing, the go
// command makes it anew from the archive, as it does once for every download.
func (e *Env) summed(m modpath.Version, known map[string][]string) error {
	line := m.Path + " " + m.Version
	if known[line] == nil || known[line+"/go.mod"] == nil {
		return fmt.Errorf("%w: go.sum has no %s", ErrUnsupported, line)
	}
	file, err := e.downloaded(m, ".ziphash")
	if err != nil {
		return err
	}
	sum, err := safefs.ReadFile(file, safefs.MaxFile)
	if err == nil && !slices.Contains(known[line], string(bytes.TrimSpace(sum))) {
		return fmt.Errorf("%w: go.sum has another sum of %s", ErrUnsupported, line)
	}
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// agrees reports whether the go.mod of a module asks for nothing later than what was selected. A later Go is another matter than
// a missing one: the go command wants it in the main module's go.mod first.
func (e *Env) agrees(file string, selected map[string]string) error {
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	mod, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if mod.Go != nil && version.Compare("go"+mod.Go.Version, "go"+selected["go"]) > 0 {
		return fmt.Errorf("%w: %s needs Go %s", ErrUnsupported, file, mod.Go.Version)
	}
	for _, r := range mod.Require {
		if v := selected[r.Mod.Path]; v != "" && semver.Compare(v, r.Mod.Version) < 0 {
			return fmt.Errorf("%w: %s requires %s", ErrUnsupported, file, r.Mod)
		}
	}
	return nil
}

// downloaded is a file in the module cache about a module: .mod is its go.mod.
func (e *Env) downloaded(m modpath.Version, ending string) (string, error) {
	path, err := modpath.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	v, err := modpath.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	return filepath.Join(e.Vars["GOMODCACHE"], "cache", "download", filepath.FromSlash(path), "@v", v+ending), nil
}

// readSums are the sums of a go.sum by the two words before. A module that requires nothing has no such file.
func readSums(file string) (map[string][]string, error) {
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	known := map[string][]string{}
	for line := range bytes.Lines(data) {
		if words := bytes.Fields(line); len(words) == 3 {
			of := string(words[0]) + " " + string(words[1])
			known[of] = append(known[of], string(words[2]))
		}
	}
	return known, nil
}

// unambiguous refuses a package that a second module of go.mod has too: the go command calls that ambiguous.
func (e *Env) unambiguous(path, dir string, mod *packages.Module) error {
	for _, m := range e.modules {
		rest, ok := strings.CutPrefix(path, m.Path)
		if !ok || rest != "" && rest[0] != '/' || mod != nil && m.Path == mod.Path {
			continue
		}
		at := filepath.Join(m.Dir, filepath.FromSlash(rest))
		if has, err := m.has(at); err != nil || has && at != dir {
			return fmt.Errorf("%w: %s is in %s and %s", ErrUnsupported, path, dir, at)
		}
	}
	return nil
}
