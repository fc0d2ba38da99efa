// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
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

// inferObject makes a call for the deep copies of each module that no call makes: each file depends on its package alone.
func (r *Reader) inferObject(calls []*genCall) []*genCall {
	byModule := map[string][]*repo.GoFile{}
	for _, f := range r.Files {
		if f.Generator != Name || path.Base(f.Path) != DeepCopies {
			continue
		}
		if !slices.ContainsFunc(calls, func(c *genCall) bool { return c.Object != nil && covers(c, r.Modules, f.Dir) }) {
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
		if asks && !has && !workspace.GitIgnores(r.Root, path.Join(dir, DeepCopies)) {
			paths = append(paths, "./"+repo.Rel(module, dir))
		}
	}
	return paths
}

// rootMarker is above a kind.
var rootMarker = lazyregexp.New(`(?m)^// ?\+kubebuilder:object:root=true\r?$`)

// copies are the names of directories that have copies of CRDs.
var copies = lazyregexp.New(`(?i)(^|/)(charts?|helm|bundle|bundles|dist|release|releases|olm|docs|examples?|templates|testdata|tests?|data|csv|kustomize-helm)(/|$)`)

// inferCRDs makes a call for each directory with CRDs of the repository's own types that no call makes, and that are not copies
// of some that one does.
func (r *Reader) inferCRDs(calls []*genCall, own []repo.Manifest) []*genCall {
	known := map[string]bool{} // by name
	byDir := map[string][]repo.Manifest{}
	for _, c := range calls {
		if !r.writesElsewhere(c, own) {
			continue
		}
		if files, _ := r.elsewhere(calls, c); r.hasOthers(c, files) {
			for _, m := range own {
				known[m.Name] = known[m.Name] || slices.Contains(files, m.Path)
			}
		}
	}
	for _, m := range own {
		if r.madeByCall(calls, m) {
			known[m.Name] = true
		}
	}
	for _, m := range r.Manifests { // what a command gives another name, of which the others are copies, unless one moves them there
		if !m.AsMade() && !slices.ContainsFunc(own, func(o repo.Manifest) bool { _, moved := r.moveTo(o.Dir); return moved && o.Name == m.Name }) &&
			r.movedTo(m.Path) != "" && slices.ContainsFunc(calls, func(c *genCall) bool { return c.CRD != nil && r.hasType(c, m) }) {
			known[m.Name] = true
			for _, o := range own {
				if o.Name == m.Name && !r.madeByCall(calls, o) {
					r.copies = append(r.copies, o.Path)
				}
			}
		}
	}
	for _, m := range own {
		if !r.madeByCall(calls, m) && r.movedTo(m.Path) == "" {
			byDir[m.Dir] = append(byDir[m.Dir], m)
		}
	}
	dirs := slices.SortedFunc(maps.Keys(byDir), func(a, b string) int {
		if x, y := copies.MatchString(a), copies.MatchString(b); x != y {
			return map[bool]int{true: 1, false: -1}[x]
		}
		return strings.Compare(a, b)
	})
	for _, dir := range dirs {
		makers := r.makersOfCopies(calls, byDir[dir], own)
		all := slices.DeleteFunc(byDir[dir], func(m repo.Manifest) bool {
			return known[m.Name] || slices.ContainsFunc(makers, func(c *genCall) bool {
				out, _ := c.OutputDir("crd")
				return r.hasType(c, m) && !r.Settings.ControllerGen.IsRemoved(path.Join(out, m.UsualName()))
			})
		})
		if len(all) == 0 {
			continue // copies
		}
		var paths []string
		for _, m := range all {
			known[m.Name] = true
			paths = append(paths, m.Path)
		}
		inForm := r.inForm
		if r.movedWithHeader(calls, dir) {
			inForm = r.headed
		}
		raw := !slices.ContainsFunc(all, func(m repo.Manifest) bool { return !inForm(m.Path) })
		packages, module, ok := r.packagesOf(all)
		version, _ := annotated(all)
		at := r.movedAs(paths[0], func(word string) bool { ok, _ := path.Match(word, path.Base(paths[0])); return ok })
		at = cmp.Or(at, r.writerOf(paths[0]))
		switch {
		case !raw && at != "":
			r.List("crd", Name+" "+version, paths, at+writesFromOutput)
		case !raw && slices.ContainsFunc(calls, func(c *genCall) bool {
			files, _ := r.elsewhere(calls, c)
			return r.writesElsewhere(c, own) && slices.Contains(files, paths[0])
		}): // leaveMoved lists them
		case !raw:
			r.List("crd", Name+" "+version, paths, "they were changed after controller-gen wrote them, and no readable call of it generates them; set controllerGen: {calls: […]}")
		case !ok:
			r.List("crd", Name+" "+version, paths, "no readable call of controller-gen generates them, and their types are not all in one module; set controllerGen: {calls: […]}")
		default:
			c := &genCall{at: repo.At(all[0].Path, all[0].Line)}
			if module != "." {
				c.Dir = module
			}
			c.Paths, c.Inferred = packages, all[0].Path
			if from := r.movedFromCall(calls, dir, c); from != nil {
				options := *from.CRD
				if by, _ := r.moveTo(dir); by.asMade {
					c.Inferred, c.at, c.pinned = "", from.at, from.pinned
					c.Env, c.BuildTags, c.IgnoreErrors = from.Env, from.BuildTags, from.IgnoreErrors
					if by.all() {
						c.Paths = slices.Clone(from.Paths)
						r.movedApart(by, c.at)
					}
				}
				c.CRD = &options
			} else {
				c.CRD = r.optionsOf(all, packages, module)
			}
			c.Output = map[string]string{"crd": relative(c.Dir, dir)}
			r.keptElsewhere(c, dir, own)
			calls = append(calls, c)
		}
	}
	return calls
}

// makersOfCopies are the calls that make the CRDs of which some of a directory are copies, unless a command moves any there. If one has no
// original, it is missing where its call writes it.
func (r *Reader) makersOfCopies(calls []*genCall, copied, own []repo.Manifest) []*genCall {
	if len(copied) == 0 {
		return nil
	}
	if _, moved := r.moveTo(copied[0].Dir); moved {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c *genCall) bool {
		return !slices.ContainsFunc(own, func(m repo.Manifest) bool {
			return r.madeByCall([]*genCall{c}, m) && slices.ContainsFunc(copied, func(o repo.Manifest) bool { return o.Name == m.Name })
		})
	})
}

// keptElsewhere records that CRDs of an inferred call are not in its directory, where they are in another one: commands move some of what
// a call makes to one place, and some to another.
func (r *Reader) keptElsewhere(c *genCall, dir string, own []repo.Manifest) {
	for _, m := range own {
		plural, group, _ := strings.Cut(m.Name, ".")
		file := path.Join(dir, group+"_"+plural+".yaml")
		for at, kinds := range r.Kinds[group] {
			if slices.Contains(kinds, m.Kind) && covers(c, r.Modules, at) && !r.Exists(file) && !r.Settings.ControllerGen.IsRemoved(file) {
				r.noteRemoved(file, m.Path)
			}
		}
	}
}

// movedFromCall is the call that made the CRDs of an inferred one, where a command moves them from there to a directory; nil where
// none does. A header is relative to the directory in which a call runs.
func (r *Reader) movedFromCall(calls []*genCall, dir string, inferred *genCall) *genCall {
	by, ok := r.moveTo(dir)
	i := slices.IndexFunc(calls, func(c *genCall) bool {
		out, writes := c.OutputDir("crd")
		return ok && writes && out == by.from && c.CRD != nil && c.Dir == inferred.Dir && slices.ContainsFunc(inferred.Paths, func(p string) bool {
			return covers(c, r.Modules, path.Join(inferred.Dir, p))
		})
	})
	if i < 0 {
		return nil
	}
	return calls[i]
}

// movedWithHeader reports whether a command moves to a directory what a call makes with a header.
func (r *Reader) movedWithHeader(calls []*genCall, dir string) bool {
	by, ok := r.moveTo(dir)
	return ok && slices.ContainsFunc(calls, func(c *genCall) bool {
		out, writes := c.OutputDir("crd")
		return writes && out == by.from && c.CRD != nil && c.CRD.HeaderFile != ""
	})
}

// madeByCall reports whether a call makes a CRD.
func (r *Reader) madeByCall(calls []*genCall, m repo.Manifest) bool {
	return slices.ContainsFunc(calls, func(c *genCall) bool {
		if c.CRD == nil {
			return false
		}
		dir, ok := c.OutputDir("crd")
		return ok && dir == m.Dir
	})
}

// packagesOf are the packages that have the types of CRDs, as paths in their module, if it is one.
func (r *Reader) packagesOf(all []repo.Manifest) (packages []string, module string, ok bool) {
	for _, m := range all {
		_, group, _ := strings.Cut(m.Name, ".")
		declared := false // by any package
		for _, kinds := range r.Kinds[group] {
			declared = declared || slices.Contains(kinds, m.Kind)
		}
		for dir, kinds := range r.Kinds[group] {
			if declared && !slices.Contains(kinds, m.Kind) {
				continue
			}
			_, at := r.Modules.Of(dir)
			if module != "" && at != module {
				return nil, "", false
			}
			module = at
			if p := "./" + repo.Rel(at, dir); !slices.Contains(packages, p) {
				packages = append(packages, p)
			}
		}
	}
	slices.Sort(packages)
	return packages, module, len(packages) > 0
}

var (
	description = lazyregexp.New(`(?m)^\s+description:`)
	// embedded is the metadata of an object in an object, with properties.
	embedded = lazyregexp.New(`(?m)^ {18,}metadata:\n(?: +.*\n){0,8}? +properties:\n +annotations:\n +additionalProperties:\n +type: string\n +type: object\n +finalizers:`)
	floats   = lazyregexp.New(`(?m)^\s+\w+\s+(?:\*|\[\])*float(?:32|64)\b`)
)

// optionsOf are the options of crd that the tree shows.
func (r *Reader) optionsOf(all []repo.Manifest, packages []string, module string) *config.CRDGenerator {
	options, yes := &config.CRDGenerator{}, true
	described := false
	for _, m := range all {
		data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(m.Path)), safefs.MaxFile)
		if err != nil {
			continue
		}
		described = described || description.Match(data)
		if embedded.Match(data) {
			options.GenerateEmbeddedObjectMeta = &yes
		}
	}
	if none := 0; !described {
		options.MaxDescLen = &none
	}
	for _, p := range packages {
		for _, data := range r.GoSources(path.Join(module, p)) {
			if floats.Match(data) {
				options.AllowDangerousTypes = &yes
			}
		}
	}
	return options
}

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
