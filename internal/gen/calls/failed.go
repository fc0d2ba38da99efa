// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/tree"
)

// leave leaves out what calls make, or may have made, that could not run, and returns it: other calls may write to the same places,
// and must not take these files for left-over ones.
func (p *project) leave(failed map[int]error) (all []tree.NotCompared, err error) {
	for _, i := range slices.Sorted(maps.Keys(failed)) {
		before, names := len(all), p.asked(i)
		for _, name := range names {
			n := tree.NotCompared{Kind: kinds[name], Tool: strings.TrimSpace(Tool + " " + Version(p.settings, i)), Reason: Reason(failed[i])}
			areas := p.areasOf(i, name)
			switch name {
			case "crd":
				for a := range areas {
					areas[a].Owns = func(file string, data []byte) bool { return crdform.IsCRD(path.Base(file), data) }
				}
			case "applyconfiguration":
				areas = p.below(i, true, func(file string) bool {
					return path.Ext(file) == ".go" && path.Base(file) != controllergen.DeepCopyFile
				}, ownsApplyConfiguration)
			}
			for _, a := range areas {
				files, err := tree.Written(p.root, a)
				if err != nil {
					return nil, err
				}
				n.Paths = append(n.Paths, files...)
			}
			n.Paths = slices.DeleteFunc(n.Paths, func(file string) bool {
				f := p.files[file]
				if f != nil && (name == "rbac" || name == "webhook") { // one file, of which others may have another part
					delete(p.files, file)
					f = nil
				}
				p.left[file] = f == nil
				return f != nil
			})
			slices.Sort(n.Paths)
			if n.Paths = slices.Compact(n.Paths); len(n.Paths) > 0 {
				all = append(all, n)
			}
		}
		if len(names) > 0 && len(all) == before { // nothing of it is on disk, and what it would make is not known
			all = append(all, tree.NotCompared{Kind: kinds[names[0]], Tool: strings.TrimSpace(Tool + " " + Version(p.settings, i)), Paths: []string{cmp.Or(p.settings.Calls[i].Dir, ".")},
				Reason: Reason(failed[i])})
		}
	}
	return all, nil
}

// asked are the generators of a call that are asked for.
func (p *project) asked(i int) []string {
	return slices.DeleteFunc(p.settings.Calls[i].Generators(), func(name string) bool { return len(p.only) > 0 && !slices.Contains(p.only, name) })
}

// leaveSilent leaves the files of generators that made nothing of the markers that there are: they were made of these markers once, and
// upstream deletes nothing.
func (p *project) leaveSilent(silent map[int][]string) ([]tree.NotCompared, error) {
	return p.leaveNotMade(silent, func(_ int, name string) string {
		return "controller-gen ignores the +kubebuilder:" + name + " markers at their place, such as right above a type, and keeps the file; add an empty line below them, or delete the file"
	})
}

// leaveIgnored leaves the files that calls did not make and that they may make without the errors that they ignore.
func (p *project) leaveIgnored(ignored map[int]string) ([]tree.NotCompared, error) {
	generators := map[int][]string{}
	for i := range ignored {
		generators[i] = p.asked(i)
	}
	return p.leaveNotMade(generators, func(call int, _ string) string { return ignored[call] })
}

// leaveNotMade leaves the files on disk of generators, by call, that none made.
func (p *project) leaveNotMade(generators map[int][]string, reason func(call int, name string) string) (all []tree.NotCompared, err error) {
	for _, i := range slices.Sorted(maps.Keys(generators)) {
		for _, name := range generators[i] {
			for _, a := range p.areasOf(i, name) {
				files, err := tree.Written(p.root, a)
				if err != nil {
					return nil, err
				}
				files = slices.DeleteFunc(files, func(file string) bool { return p.files[file] != nil || p.left[file] })
				if len(files) == 0 {
					continue
				}
				for _, file := range files {
					p.left[file] = true
				}
				all = append(all, tree.NotCompared{Kind: kinds[name], Tool: strings.TrimSpace(Tool + " " + Version(p.settings, i)), Paths: files,
					Reason: reason(i, name)})
			}
		}
	}
	return all, nil
}

// Reason is an error as the reason why files are not compared: its lines in one.
func Reason(err error) string {
	reason := ""
	for line := range strings.Lines(err.Error()) {
		line = strings.Join(strings.Fields(line), " ")
		switch {
		case line == "":
		case reason == "", strings.HasSuffix(reason, ":"):
			reason = strings.TrimSpace(reason + " " + line)
		default:
			reason += "; " + line
		}
	}
	return reason
}
