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
)

// consistent holds modules that have packages of a build to what the go command asks of them before it builds: go.sum knows
// them, none wants a later version of another than go.mod has, and Go is new enough.
func (e *Env) consistent(paths []string) error {
	known, err := readSums(filepath.Join(filepath.Dir(e.Vars["GOMOD"]), "go.sum"))
	if err != nil {
		return err
	}
	selected := map[string]string{}
	for _, m := range e.modules {
		selected[m.Path] = m.Version
	}
	running, _, _ := strings.Cut(e.Vars["GOVERSION"], " ")
	for _, m := range e.modules {
		if !slices.Contains(paths, m.Path) {
			continue
		}
		if m.GoVersion != "" && version.Compare("go"+m.GoVersion, running) > 0 {
			return fmt.Errorf("%w: %s needs Go %s", ErrNotPlain, m.Path, m.GoVersion)
		}
		if m.Main {
			continue
		}
		file := filepath.Join(m.Dir, "go.mod")
		if m.source.Version != "" {
			sum := m.source.Path + " " + m.source.Version
			if !known[sum] || !known[sum+"/go.mod"] {
				return fmt.Errorf("%w: go.sum has no %s", ErrNotPlain, sum)
			}
			if file, err = e.downloaded(m.source); err != nil {
				return err
			}
		}
		if err := e.agrees(file, selected, running); err != nil {
			return err
		}
	}
	return nil
}

// agrees tells whether the go.mod of a module asks for nothing later than what was selected.
func (e *Env) agrees(file string, selected map[string]string, running string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	mod, err := modfile.ParseLax(file, data, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotPlain, err)
	}
	if mod.Go != nil && version.Compare("go"+mod.Go.Version, running) > 0 {
		return fmt.Errorf("%w: %s needs Go %s", ErrNotPlain, file, mod.Go.Version)
	}
	for _, r := range mod.Require {
		if v := selected[r.Mod.Path]; v != "" && semver.Compare(v, r.Mod.Version) < 0 {
			return fmt.Errorf("%w: %s requires %s", ErrNotPlain, file, r.Mod)
		}
	}
	return nil
}

// downloaded is the file in the module cache that has the go.mod of a module.
func (e *Env) downloaded(m modpath.Version) (string, error) {
	path, err := modpath.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	v, err := modpath.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	return filepath.Join(e.Vars["GOMODCACHE"], "cache", "download", filepath.FromSlash(path), "@v", v+".mod"), nil
}

// readSums are the first two words of each line of a go.sum. There is none where nothing is required.
func readSums(file string) (map[string]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	known := map[string]bool{}
	for line := range bytes.Lines(data) {
		if words := bytes.Fields(line); len(words) == 3 {
			known[string(words[0])+" "+string(words[1])] = true
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
			return fmt.Errorf("%w: %s is in %s and %s", ErrNotPlain, path, dir, at)
		}
	}
	return nil
}
