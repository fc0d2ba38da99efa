package load

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/safefs"
)

// vendorOf is the vendor folder that the go command builds from, or "". Since Go 1.14 it looks at any that there is, even at
// one without a list of modules, and refuses one that does not agree with go.mod.
func vendorOf(root, flag string, mod *modfile.File) (string, error) {
	dir := filepath.Join(root, "vendor")
	if flag != "vendor" && (flag != "" || !isDir(dir)) {
		return "", nil
	}
	data, err := safefs.ReadFile(filepath.Join(dir, "modules.txt"), safefs.MaxFile)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	list := readVendored(string(data))
	if list.workspace {
		return "", fmt.Errorf("%w: %s is for a workspace", ErrUnsupported, dir)
	}
	return dir, list.agrees(dir, mod)
}

// modulesList is what modules.txt says.
type modulesList struct {
	workspace bool
	// explicit are the modules that go.mod required then, and replaced those that it replaced, by what.
	explicit map[modpath.Version]bool
	replaced map[modpath.Version]modpath.Version
}

// readVendored reads modules.txt: "# PATH VERSION" is a module, "# PATH VERSION => PATH VERSION" one that is replaced, both
// with or without versions, and "## WORD; WORD" is more about the one above.
func readVendored(text string) modulesList {
	list := modulesList{explicit: map[modpath.Version]bool{}, replaced: map[modpath.Version]modpath.Version{}}
	var at modpath.Version
	for line := range strings.Lines(text) {
		if words, ok := strings.CutPrefix(line, "## "); ok {
			for word := range strings.SplitSeq(words, ";") {
				switch strings.TrimSpace(word) {
				case "workspace":
					list.workspace = true
				case "explicit":
					list.explicit[at] = true
				}
			}
		} else if words, ok := strings.CutPrefix(line, "# "); ok {
			old, by, isReplaced := strings.Cut(words, "=>")
			at = versionIn(old)
			if isReplaced {
				list.replaced[at] = versionIn(by)
			}
		}
	}
	return list
}

// versionIn is a path with the version after it, if there is one.
func versionIn(words string) (v modpath.Version) {
	fields := strings.Fields(words)
	if len(fields) > 0 {
		v.Path = fields[0]
	}
	if len(fields) > 1 && semver.IsValid(fields[1]) {
		v.Version = fields[1]
	}
	return v
}

// agrees holds the list to go.mod, both ways.
func (l modulesList) agrees(dir string, mod *modfile.File) error {
	required, replaced := map[modpath.Version]bool{}, map[modpath.Version]modpath.Version{}
	lacks := func(m modpath.Version) error {
		return fmt.Errorf("%w: %s does not have %s as go.mod has it", ErrUnsupported, dir, m)
	}
	for _, r := range mod.Require {
		required[r.Mod] = true
		if !l.explicit[r.Mod] {
			return lacks(r.Mod)
		}
	}
	for _, r := range mod.Replace {
		replaced[r.Old] = r.New
		if l.replaced[r.Old] != r.New {
			return lacks(r.Old)
		}
	}
	for m := range l.explicit {
		if !required[m] {
			return fmt.Errorf("%w: %s has %s, and go.mod has it not", ErrUnsupported, dir, m)
		}
	}
	for m, by := range l.replaced {
		if replaced[m] != by && replaced[modpath.Version{Path: m.Path}] != by {
			return fmt.Errorf("%w: %s replaces %s, and go.mod has it not", ErrUnsupported, dir, m)
		}
	}
	return nil
}
