// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// copies are the names of directories that have copies of CRDs.
var copies = lazyregexp.New(`(?i)(^|/)(charts?|helm|bundle|bundles|dist|release|releases|olm|docs|examples?|templates|testdata|tests?|data|csv|kustomize-helm)(/|$)`)

// inferCRDs makes a call for each directory with CRDs of the repository's own types that no call makes, and that are not copies
// of some that one does.
func (r *Reader) inferCRDs(calls []*genCall, own []repo.Manifest) []*genCall {
	known := r.madeAlready(calls, own)
	byDir := map[string][]repo.Manifest{}
	for _, m := range own {
		if !r.madeByCall(calls, m) && (r.movedTo(m.Path) == "" || r.movedAsMade(m.Path)) {
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
		for _, m := range all { // the others are copies
			known[m.Name] = true
		}
		for _, group := range r.bySource(calls, all) {
			packages, module, ok := r.packagesOf(group)
			if !r.leaveUnreadable(calls, group, own, ok) && !r.copiesOfMissing(calls, group, own) {
				calls = append(calls, r.callFor(calls, group, own, packages, module))
			}
		}
	}
	return calls
}

// madeAlready are the names of the CRDs that calls make, whether they are left where these write them, renamed or copied.
func (r *Reader) madeAlready(calls []*genCall, own []repo.Manifest) map[string]bool {
	known := map[string]bool{}
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
		if m.AsMade() || slices.ContainsFunc(own, func(o repo.Manifest) bool { _, moved := r.moveOf(o); return moved && o.Name == m.Name }) ||
			(r.movedTo(m.Path) == "" || !slices.ContainsFunc(calls, func(c *genCall) bool { return c.CRD != nil && r.hasType(c, m) })) && !r.writtenOnce(own, m) {
			continue
		}
		known[m.Name] = true
		for _, o := range own {
			if o.Name == m.Name && !r.madeByCall(calls, o) {
				r.copies = append(r.copies, o.Path)
			}
		}
	}
	return known
}

// writtenOnce reports whether a script or program writes a CRD from what controller-gen makes, and all under its usual name are in directories of copies.
func (r *Reader) writtenOnce(own []repo.Manifest, m repo.Manifest) bool {
	copied := 0
	for _, o := range own {
		if o.Name == m.Name && !copies.MatchString(o.Dir) {
			return false
		} else if o.Name == m.Name {
			copied++
		}
	}
	return copied > 0 && !copies.MatchString(m.Dir) && r.writerOf(m.Path) != ""
}

// leaveUnreadable lists the CRDs of a directory of which no call can be inferred: they are changed after they are made, or oneModule is false,
// as their types are in several. It reports whether that is so.
func (r *Reader) leaveUnreadable(calls []*genCall, all, own []repo.Manifest, oneModule bool) bool {
	inForm := r.inForm
	if r.movedWithHeader(calls, all[0]) {
		inForm = r.headed
	}
	first := all[0].Path
	at := r.movedAs(first, func(word string) bool { ok, _ := path.Match(word, path.Base(first)); return ok })
	at = cmp.Or(at, r.writerOf(first))
	why := ""
	switch changed := slices.ContainsFunc(all, func(m repo.Manifest) bool { return !inForm(m.Path) }); {
	case changed && at != "":
		why = at + writesFromOutput
	case changed && slices.ContainsFunc(calls, func(c *genCall) bool {
		files, _ := r.elsewhere(calls, c)
		return r.writesElsewhere(c, own) && slices.Contains(files, first)
	}):
		return true // leaveMoved lists them
	case changed:
		why = "they were changed after controller-gen wrote them, and no readable call of it generates them; set controllerGen: {calls: […]}"
	case !oneModule:
		why = "no readable call of controller-gen generates them, and their types are not all in one module; set controllerGen: {calls: […]}"
	default:
		return false
	}
	version, _ := annotated(all)
	var paths []string
	for _, m := range all {
		paths = append(paths, m.Path)
	}
	r.List("crd", Name+" "+version, paths, why)
	return true
}

// callFor is the call that makes the CRDs of a directory from packages of a module: the one of calls whose output a command moves there, or one
// with options that make CRDs as they are.
func (r *Reader) callFor(calls []*genCall, all, own []repo.Manifest, packages []string, module string) *genCall {
	c := &genCall{at: repo.At(all[0].Path, all[0].Line)}
	if module != "." {
		c.Dir = module
	}
	dir := all[0].Dir
	c.Paths, c.Inferred = packages, all[0].Path
	by, _ := r.moveOf(all[0])
	if from := r.movedFromCall(calls, by, c); from != nil {
		options := *from.CRD
		if by.asMade {
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
	return c
}

// makersOfCopies are the calls that make the CRDs of which some of a directory are copies, unless a command moves any there. If one has no
// original, it is missing where its call writes it.
func (r *Reader) makersOfCopies(calls []*genCall, copied, own []repo.Manifest) []*genCall {
	if slices.ContainsFunc(copied, func(m repo.Manifest) bool { _, moved := r.moveOf(m); return moved }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c *genCall) bool {
		return !slices.ContainsFunc(own, func(m repo.Manifest) bool {
			return r.madeByCall([]*genCall{c}, m) && slices.ContainsFunc(copied, func(o repo.Manifest) bool { return o.Name == m.Name })
		})
	})
}

// copiesOfMissing reports whether CRDs of a directory are copies of what a call writes to another one, where all of them are missing.
func (r *Reader) copiesOfMissing(calls []*genCall, all, own []repo.Manifest) bool {
	return slices.ContainsFunc(calls, func(c *genCall) bool {
		dir, _ := c.OutputDir("crd")
		files, _ := r.elsewhere(calls, c)
		return slices.Contains(files, all[0].Path) && r.writesElsewhere(c, own) && r.staysIn(dir, files)
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

// movedFromCall is the call that made the CRDs of an inferred one, from where a command moves them; nil where none does. A header is relative to
// the directory in which a call runs.
func (r *Reader) movedFromCall(calls []*genCall, by move, inferred *genCall) *genCall {
	i := slices.IndexFunc(calls, func(c *genCall) bool {
		out, writes := c.OutputDir("crd")
		return writes && out == by.from && c.CRD != nil && c.Dir == inferred.Dir && slices.ContainsFunc(inferred.Paths, func(p string) bool {
			return covers(c, r.Modules, path.Join(inferred.Dir, p))
		})
	})
	if i < 0 {
		return nil
	}
	return calls[i]
}

// movedWithHeader reports whether a command moves a CRD from where a call makes it with a header.
func (r *Reader) movedWithHeader(calls []*genCall, m repo.Manifest) bool {
	by, ok := r.moveOf(m)
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
