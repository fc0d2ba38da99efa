// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/gofield"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// leaveUnmarked leaves the deep copies that calls make no more though the types are all there: a marker was removed, other packages may
// need the methods, and upstream deletes nothing. below are those on disk below the paths of calls with all below them.
func (p *project) leaveUnmarked(below []string) (all []tree.NotCompared) {
	for i := range p.settings.Calls {
		if !slices.Contains(p.settings.Calls[i].Generators(), "object") || len(p.only) > 0 && !slices.Contains(p.only, "object") {
			continue
		}
		files := slices.Clone(below)
		for _, r := range roots(&p.settings.Calls[i]) {
			if !r.below {
				files = append(files, path.Join(r.dir, controllergen.DeepCopyFile))
			}
		}
		slices.Sort(files)
		tool := strings.TrimSpace(Tool + " " + Version(p.settings, i))
		left := map[string][]string{}
		for _, file := range files {
			if p.files[file] == nil && !p.left[file] && !p.settings.IsRemoved(file) && p.settings.PostProcessedBy(file) == nil && p.unmarked(i, file) {
				reason := "no marker of controller-gen generates it, but its types are still there; it stays. Restore the marker " + objectMarker + " of the package, or delete the file"
				if p.apart(i, file) {
					reason = tool + " does not make it, since its package is in another module than the call; a command that is not known may move the go.mod away before"
				}
				left[reason], p.left[file] = append(left[reason], file), true
			}
		}
		for _, reason := range slices.Sorted(maps.Keys(left)) {
			all = append(all, tree.NotCompared{Kind: kinds["object"], Tool: tool, Paths: left[reason], Reason: reason})
		}
	}
	return all
}

// objectMarker asks for the deep copies of a package.
const objectMarker = "+kubebuilder:object:generate=true"

// apart reports whether a file is in another module than a call, and its package has a marker for deep copies.
func (p *project) apart(call int, file string) bool {
	dir := filepath.Join(p.root, filepath.FromSlash(path.Dir(file)))
	if workspace.Above(dir, "go.mod") == workspace.Above(filepath.Join(p.root, filepath.FromSlash(p.settings.Calls[call].Dir)), "go.mod") {
		return false
	}
	sources, err := workspace.Glob(dir, "*.go")
	return err == nil && slices.ContainsFunc(sources, func(name string) bool {
		data, err := safefs.ReadFile(name, safefs.MaxFile)
		return err == nil && bytes.Contains(data, []byte(objectMarker))
	})
}

// deepCopied are the types of deep copies.
var deepCopied = regexp.MustCompile(`(?m)^func \(in \*?(\w+)\) DeepCopyInto\(`)

// unmarked reports whether a file is of a call's deep copies, and the package has all of their types.
func (p *project) unmarked(call int, file string) bool {
	data, err := safefs.ReadFile(filepath.Join(p.root, filepath.FromSlash(file)), safefs.MaxFile)
	if err != nil || !slices.ContainsFunc(p.deepCopies(call), func(a tree.Area) bool { return a.Match(file) && a.Owns(file, data) }) {
		return false
	}
	pkg, err := gofield.Parse(filepath.Join(p.root, filepath.FromSlash(path.Dir(file))))
	copied := deepCopied.FindAllSubmatch(data, -1)
	return err == nil && len(copied) > 0 && !slices.ContainsFunc(copied, func(m [][]byte) bool { return !pkg.Has(string(m[1])) })
}
