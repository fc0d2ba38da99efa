// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// ownMarker is the name of a marker that a program defines itself.
var ownMarker = lazyregexp.New(`\bMake(?:AnyType)?Definition\(\s*"([\w:-]+)"`)

// ownProgram is the main file of a program of the repository's own with controller-gen's generators, and the markers that it adds.
func (r *Reader) ownProgram() (main string, markers []string) {
	for _, f := range r.Files {
		if !f.Main || !f.Uses(func(p string) bool { return p == controllerTools+"/pkg/genall" }) {
			continue
		}
		for _, data := range r.GoSources(f.Dir) {
			for _, m := range ownMarker.FindAllSubmatch(data, -1) {
				markers = append(markers, string(m[1]))
			}
		}
		return f.Path, markers
	}
	return "", nil
}

// leaveToOwnProgram finds the CRDs that such a program made, by their version: what controller-gen makes as well is up to date, but
// about any other, and where one of the program's own markers is read, nothing is known without running it.
func (r *Reader) leaveToOwnProgram(calls []*genCall, own []repo.Manifest) {
	program, markers := r.ownProgram()
	if program == "" {
		return
	}
	for _, c := range calls {
		dir, ok := c.OutputDir("crd")
		if c.CRD == nil || !ok {
			continue
		}
		var files []string
		for _, m := range own {
			if m.Dir == dir && config.Unreleased(m.Version) {
				files = append(files, m.Path)
			}
		}
		if len(files) == 0 {
			continue
		}
		if at := r.marked(c, markers); at != "" {
			r.List("crd", Name+" (devel)", files, program+" generates them, a program of the repository with its own markers ("+at+")")
			Drop(&c.ControllerGenCall, "crd")
		} else {
			r.PostProcess(config.PostProcessed{Path: dir, By: program + ", a program of the repository"})
		}
	}
}

// marked is the first place of a marker in the packages of a call and in those of the repository that they import, or "".
func (r *Reader) marked(c *genCall, markers []string) string {
	if len(markers) == 0 {
		return ""
	}
	used := regexp.MustCompile(`(?m)^\s*//\s*\+(` + strings.Join(markers, "|") + `)\b`) // names of markers have nothing to quote
	var dirs, places []string
	for _, f := range r.Files {
		if covers(c, r.Modules, f.Dir) && !slices.Contains(dirs, f.Dir) {
			dirs = append(dirs, f.Dir)
		}
	}
	for i := 0; i < len(dirs); i++ {
		for file, data := range r.GoSources(dirs[i]) {
			if at := used.FindIndex(data); at != nil {
				places = append(places, repo.At(file, repo.LineOf(data, at[1])))
			}
			for _, imported := range repo.ImportsOf(file, data) {
				if next, ok := r.Modules.Dir(imported); ok && r.IsDir(next) && !slices.Contains(dirs, next) {
					dirs = append(dirs, next)
				}
			}
		}
	}
	if len(places) == 0 {
		return ""
	}
	return slices.Min(places)
}
