// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"cmp"
	"path"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/steps"
	"github.com/crdctl/crdctl/internal/safefs"
)

// keepCalls takes the generators out of calls that leave no file in the repository, and then the calls that have none left.
func (r *Reader) keepCalls(calls []*genCall) (kept []*genCall) {
	for _, c := range calls {
		for _, name := range c.Generators() {
			if name == "object" || name == "applyconfiguration" {
				if out := c.Output[name]; out == config.OutputNone || out == config.OutputStdout {
					Drop(&c.ControllerGenCall, name)
				}
				continue
			}
			dir, ok := c.OutputDir(name)
			if !ok {
				Drop(&c.ControllerGenCall, name)
				r.printed(calls, c, name)
			} else if to := r.ignoredOutput(c, name, dir); to != "" {
				Drop(&c.ControllerGenCall, name)
				r.Ask(c.at, "%s is written to %s, which git ignores; it is not compared", name, to)
			} else if name == "schemapatch" && c.Output[name] == "" && !r.IsDir(dir) {
				Drop(&c.ControllerGenCall, name)
				r.Note(c.at, "schemapatch is written to %s, which is not here: the repository keeps none of it, or the call lacks output:schemapatch:dir=DIR", dir)
			} else if at := r.contradicts(calls, c, name); at != "" {
				Drop(&c.ControllerGenCall, name)
				r.Ask(c.at, "the CRDs in %s are as the call at %s makes them, and this one has another maxDescLen; its CRDs are left out", dir, at)
			} else if name == "crd" && r.emptied(dir) && !slices.ContainsFunc(r.Manifests, func(m repo.Manifest) bool { return m.Dir == dir }) {
				Drop(&c.ControllerGenCall, name) // the call for where they are moved makes them
			} else if slices.Contains(r.removedDirs, dir) {
				Drop(&c.ControllerGenCall, name)
				r.Note(c.at, "%s is written to %s, which is deleted afterwards", name, dir)
			}
		}
		same := slices.ContainsFunc(kept, func(o *genCall) bool { return reflect.DeepEqual(o.ControllerGenCall, c.ControllerGenCall) })
		if len(c.Generators()) > 0 && !same {
			kept = append(kept, c)
		}
	}
	return kept
}

// contradicts is the place of another call that makes the CRDs of a call, in the same directory, and is the one of both that makes them with
// descriptions, or without any, as they are there; "" if there is none, or for another generator.
func (r *Reader) contradicts(calls []*genCall, c *genCall, generator string) string {
	if generator != "crd" {
		return ""
	}
	bare := func(c *genCall) bool { return c.CRD != nil && c.CRD.MaxDescLen != nil && *c.CRD.MaxDescLen == 0 }
	dir, _ := c.OutputDir("crd")
	i := slices.IndexFunc(calls, func(o *genCall) bool {
		at, ok := o.OutputDir("crd")
		return o.CRD != nil && ok && at == dir && o.Dir == c.Dir && bare(o) != bare(c) && slices.ContainsFunc(o.Paths, func(p string) bool { return slices.Contains(c.Paths, p) })
	})
	if i < 0 {
		return ""
	}
	found, described := false, false
	for _, m := range r.Manifests {
		if m.Dir != dir || !r.hasType(c, m) {
			continue // of other calls
		}
		if data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(m.Path)), safefs.MaxFile); err == nil {
			found, described = true, described || description.Match(data)
		}
	}
	if found && bare(c) == described {
		return calls[i].at
	}
	return ""
}

// ignoredOutput is the directory or the one file to which a generator writes where git ignores that, or "".
func (r *Reader) ignoredOutput(c *genCall, name, dir string) string {
	file := ""
	switch name {
	case "rbac":
		file = path.Join(dir, roleFile(c))
	case "webhook":
		file = path.Join(dir, "manifests.yaml")
	}
	switch {
	case r.Git.Ignores(dir):
		return dir
	case file != "" && r.Git.Ignores(file):
		return file
	}
	return ""
}

// writtenFrom are the files to which the shell writes what commands make of others, which a script may delete then.
func (r *Reader) writtenFrom(files []string) (all []string) {
	for _, s := range r.steps.Sequences {
		for _, step := range s.Steps {
			reads := func(w string) bool {
				file := steps.Local(step.Dir, w)
				return file != "" && slices.Contains(files, file)
			}
			if slices.ContainsFunc(slices.Concat(step.Reads, step.Words[1:]), reads) {
				for _, w := range step.Writes {
					all = append(all, steps.Local(step.Dir, w))
				}
			}
		}
	}
	return all
}

// printed lists the files to which the shell writes what a call prints, but those that another call was inferred for.
func (r *Reader) printed(calls []*genCall, c *genCall, name string) {
	files := slices.DeleteFunc(slices.Concat(c.writes, r.writtenFrom(c.writes)), func(file string) bool {
		return file == "" || !r.Exists(file) && !r.Git.Deleted(file) || slices.ContainsFunc(calls, func(o *genCall) bool {
			dir, ok := o.OutputDir(name)
			return ok && slices.Contains(o.Generators(), name) && dir == path.Dir(file)
		})
	})
	version := ""
	if len(files) == 0 && name == "crd" { // another command may take them from what the call prints
		files, version = r.elsewhere(calls, c)
	}
	if len(files) == 0 {
		r.Note(c.at, "%s is not written to the repository", name)
		return
	}
	slices.Sort(files)
	if files = slices.Compact(slices.DeleteFunc(files, r.Listed)); len(files) > 0 { // a step is in each target that needs it
		r.List(cmp.Or(map[string]string{"schemapatch": "crd"}[name], name), Name+" "+version, files, c.at+writesFromOutput)
	}
}

// Drop takes a generator out of a call.
func Drop(c *config.ControllerGenCall, generator string) {
	if delete(c.Output, generator); len(c.Output) == 0 {
		c.Output = nil
	}
	c.Drop(generator)
}
