// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// ownMarker is the name of a marker that a program defines itself.
var ownMarker = lazyregexp.New(`\bMake(?:AnyType)?Definition\(\s*"([\w:-]+)"`)

// ownProgram is the main file of a program of the repository's own with controller-gen's generators, and the markers that it adds.
func (d *discovery) ownProgram() (main string, markers []string) {
	for _, f := range d.Files {
		if !f.Main || !f.Uses(func(p string) bool { return p == controllerTools+"/pkg/genall" }) {
			continue
		}
		for _, data := range d.sources(f.Dir) {
			for _, m := range ownMarker.FindAllSubmatch(data, -1) {
				markers = append(markers, string(m[1]))
			}
		}
		return f.Path, markers
	}
	return "", nil
}

// sources are the Go files of a directory, by path.
func (d *discovery) sources(dir string) map[string][]byte {
	entries, err := os.ReadDir(filepath.Join(d.Root, filepath.FromSlash(dir)))
	if err != nil {
		return nil
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			if data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(dir), name), safefs.MaxFile); err == nil {
				all[path.Join(dir, name)] = data
			}
		}
	}
	return all
}

// leaveToOwnProgram finds the CRDs that such a program made, by their version: what controller-gen makes as well is up to date, but
// about any other, and where one of the program's own markers is read, nothing is known without running it.
func (d *discovery) leaveToOwnProgram(calls []*genCall, own []repo.Manifest) {
	program, markers := d.ownProgram()
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
			if m.Dir == dir && m.Version == devel {
				files = append(files, m.Path)
			}
		}
		if len(files) == 0 {
			continue
		}
		if at := d.marked(c, markers); at != "" {
			d.notCompared("crd", controllerGen+" "+devel, files, program+" generates them, a program of the repository with its own markers ("+at+")")
			c.drop("crd")
		} else {
			d.postProcessed(config.PostProcessed{Path: dir, By: program + ", a program of the repository"})
		}
	}
}

// marked is the first place of a marker in the packages of a call and in those of the repository that they import, or "".
func (d *discovery) marked(c *genCall, markers []string) string {
	if len(markers) == 0 {
		return ""
	}
	used := regexp.MustCompile(`(?m)^\s*//\s*\+(` + strings.Join(markers, "|") + `)\b`) // names of markers have nothing to quote
	var dirs, places []string
	for _, f := range d.Files {
		if covers(c, d.Modules, f.Dir) && !slices.Contains(dirs, f.Dir) {
			dirs = append(dirs, f.Dir)
		}
	}
	for i := 0; i < len(dirs); i++ {
		for file, data := range d.sources(dirs[i]) {
			if at := used.FindIndex(data); at != nil {
				places = append(places, repo.At(file, repo.LineOf(data, at[1])))
			}
			for _, imported := range repo.ImportsOf(file, data) {
				if next, ok := d.Modules.Dir(imported); ok && d.isDir(next) && !slices.Contains(dirs, next) {
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
