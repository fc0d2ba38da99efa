// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// inUse reports whether a manifest that nothing makes is named by the kustomization next to it, or in the directory above, which then could
// not be built without it.
func (p *project) inUse(file string) bool {
	if p.files[file] != nil || path.Ext(file) != ".yaml" {
		return false
	}
	dir, name := path.Split(file)
	dir = path.Clean(dir)
	return p.kustomized(dir, name) || p.kustomized(path.Dir(dir), path.Join(path.Base(dir), name))
}

// isCopy reports whether a call makes the CRD of a file that nothing makes in another directory, from which a command may copy it.
func (p *project) isCopy(file string) bool {
	if p.files[file] != nil || path.Ext(file) != ".yaml" {
		return false
	}
	for at, f := range p.files {
		if f.Generator == "crd" && path.Base(at) == path.Base(file) {
			return true
		}
	}
	return false
}

// kustomized reports whether the kustomization of a directory names a file.
func (p *project) kustomized(dir, file string) bool {
	data, err := safefs.ReadFile(filepath.Join(p.root, filepath.FromSlash(dir), "kustomization.yaml"), safefs.MaxFile)
	return err == nil && bytes.Contains(data, []byte("- "+file+"\n"))
}

// leftAlone are the roles and configurations of webhooks that no marker makes, and the CRDs of which that is true that a kustomization uses
// or that are made in another directory. controller-gen deletes nothing, a role without markers may be a person's, and the types of a CRD may
// be in another repository, so they stay. What t has is made by crdctl's own settings.
func (p *project) leftAlone(t *tree.Tree, failed map[int]error) (all []tree.NotCompared, err error) {
	for i := range p.settings.Calls {
		for _, name := range p.settings.Calls[i].Generators() {
			if failed[i] != nil || name == "object" || name == "applyconfiguration" || len(p.only) > 0 && !slices.Contains(p.only, name) {
				continue
			}
			for _, a := range p.areasOf(i, name) {
				match := a.Match
				a.Match = func(file string) bool {
					_, other := t.Content(file)
					return match(file) && !other && p.files[file] == nil && !p.left[file] && !p.settings.IsRemoved(file) && (name != "crd" || p.inUse(file) || p.isCopy(file))
				}
				files, err := tree.Written(p.root, a)
				if err != nil {
					return nil, err
				}
				because := map[string][]string{}
				for _, file := range files {
					p.left[file] = true
					reason := p.whyLeft(file)
					because[reason] = append(because[reason], file)
				}
				for _, reason := range slices.Sorted(maps.Keys(because)) {
					all = append(all, tree.NotCompared{Kind: kinds[name], Tool: strings.TrimSpace(Tool + " " + Version(p.settings, i)), Paths: because[reason], Reason: reason})
				}
			}
		}
	}
	return all, nil
}

// whyLeft is the reason to leave a file alone.
func (p *project) whyLeft(file string) string {
	switch {
	case p.isCopy(file):
		return "controller-gen generates it in another directory only; it stays, since it may be a copy"
	case p.inUse(file):
		return "no marker of controller-gen generates it, but a kustomization uses it; it stays"
	}
	return "no marker of controller-gen generates it; it stays, since a person may have written it"
}
