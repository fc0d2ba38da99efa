// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// inferCalls makes calls for the files of controller-gen that no call was found for, as far as the tree tells what it was.
func (r *Reader) inferCalls(calls []*genCall, own []repo.Manifest) []*genCall {
	calls = r.inferCRDs(r.inferObject(calls), own)
	r.listOthers(calls)
	return calls
}

// covers reports whether a call with a generator loads the package of a directory.
func covers(c *genCall, modules *repo.Modules, dir string) bool {
	return slices.ContainsFunc(c.Paths, func(p string) bool {
		root, below := strings.CutSuffix(p, "/...")
		at := path.Join(c.Dir, root)
		if !strings.HasPrefix(p, ".") && !strings.HasPrefix(p, "/") {
			var ok bool
			if at, ok = modules.Dir(root); !ok {
				return false
			}
		}
		return at == dir || below && text.Below(at, dir)
	})
}

// copiesTo reports whether a call makes the deep copies in a directory.
func copiesTo(c *genCall, modules *repo.Modules, dir string) bool {
	if c.Object == nil {
		return false
	}
	if _, set := c.Output["object"]; set {
		to, ok := c.OutputDir("object")
		return ok && to == dir
	}
	return covers(c, modules, dir)
}

// inferObject makes a call for the deep copies of each module that no call makes: each file depends on its package alone.
func (r *Reader) inferObject(calls []*genCall) []*genCall {
	byModule := map[string][]*repo.GoFile{}
	for _, f := range r.Files {
		if f.Generator != Name || path.Base(f.Path) != DeepCopies {
			continue
		}
		if !slices.ContainsFunc(calls, func(c *genCall) bool { return copiesTo(c, r.Modules, f.Dir) }) {
			_, module := r.Modules.Of(f.Dir)
			byModule[module] = append(byModule[module], f)
		}
	}
	for _, module := range slices.Sorted(maps.Keys(byModule)) {
		byHeader := map[string][]*repo.GoFile{}
		for _, f := range byModule[module] {
			byHeader[repo.NormalHeader(f.Header)] = append(byHeader[repo.NormalHeader(f.Header)], f)
		}
		for _, header := range slices.Sorted(maps.Keys(byHeader)) {
			files := byHeader[header]
			c := &genCall{at: files[0].Path}
			c.Dir, c.Inferred = module, files[0].Path
			if module == "." {
				c.Dir = ""
			}
			for _, f := range files {
				c.Paths = append(c.Paths, "./"+repo.Rel(module, f.Dir))
			}
			if len(byHeader) == 1 {
				c.Paths = append(c.Paths, r.uncopied(calls, module)...)
			}
			c.Object = &config.ObjectGenerator{}
			if !r.takeHeader(c, header, len(files)) {
				r.List("deepcopy", Name, repo.Paths(files), "no file has the header of these files, and no readable call of controller-gen names it")
				continue
			}
			calls = append(calls, c)
		}
	}
	return calls
}

// uncopied are the packages of a module with kinds that lack the methods which controller-gen makes, though others have them: their file is missing.
func (r *Reader) uncopied(calls []*genCall, module string) (paths []string) {
	for _, dir := range slices.Sorted(maps.Keys(r.ByDir)) {
		if _, at := r.Modules.Of(dir); at != module || slices.ContainsFunc(calls, func(c *genCall) bool { return c.Object != nil && covers(c, r.Modules, dir) }) {
			continue
		}
		asks, has := false, false
		for _, f := range r.ByDir[dir] {
			has = has || f.Generator != "" || bytes.Contains(f.Data, []byte(") DeepCopyObject()"))
			asks = asks || rootMarker.Match(f.Data)
		}
		if asks && !has && !r.Git.Ignores(path.Join(dir, DeepCopies)) {
			paths = append(paths, "./"+repo.Rel(module, dir))
		}
	}
	return paths
}

// rootMarker is above a kind.
var rootMarker = lazyregexp.New(`(?m)^// ?\+kubebuilder:object:root=true\r?$`)

// listOthers lists the roles and webhooks that no call makes: which packages have their markers, no file tells.
func (r *Reader) listOthers(calls []*genCall) {
	made := func(file string) bool {
		return slices.ContainsFunc(calls, func(c *genCall) bool {
			rbac, inRBAC := c.OutputDir("rbac")
			webhook, inWebhook := c.OutputDir("webhook")
			return c.RBAC != nil && inRBAC && path.Join(rbac, roleFile(c)) == file || c.Webhook != nil && inWebhook && path.Join(webhook, "manifests.yaml") == file || slices.Contains(c.writes, file)
		})
	}
	r.leaveMovedAway(made)
	var roles, names []string
	for _, role := range r.Roles {
		if made(role.Path) {
			names = append(names, role.Names...)
		}
	}
	for _, role := range r.Roles {
		copied := len(names) > 0 && !slices.ContainsFunc(role.Names, func(n string) bool { return !slices.Contains(names, n) })
		if role.Form && !copied && path.Clean(r.Settings.RBAC.Dir) != path.Dir(role.Path) {
			roles = append(roles, role.Path)
		}
	}
	for _, kind := range []struct {
		name  string
		files []string
	}{{"rbac", roles}, {"webhook", slices.Clone(r.Webhooks)}} {
		files := slices.DeleteFunc(kind.files, func(file string) bool { return copies.MatchString(file) || made(file) || r.Listed(file) })
		if len(files) > 0 && r.HasMarker(kind.name) {
			r.List(kind.name, Name, files, "no readable call of controller-gen generates it, and no file tells which packages have its markers; set controllerGen: {calls: […]}")
		}
	}
}
