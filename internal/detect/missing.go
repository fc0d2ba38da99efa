// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
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

// takeGiven has a generator run on the directories that ask for it and that calls give it, where none has its file. It reports whether there are any.
func (d *discovery) takeGiven(h helper, asking []string) bool {
	given := func(dir string) bool {
		file := path.Join(dir, h.file)
		return d.isGiven(h, dir) && !d.Exists(file) && !d.Git.Ignores(file) && !d.namedOtherwise(h, dir) && !d.importsBack(h, dir)
	}
	if !h.shared && h.name != "register" || !slices.ContainsFunc(asking, given) {
		return false
	}
	for _, dir := range asking {
		if !given(dir) {
			d.excludeFrom(h.name, dir, cmp.Or(d.callOf(h.tool), d.callOf("gen_register"), d.callOf("generate-groups")))
		}
	}
	return true
}

// namedOtherwise reports whether a call of a generator writes its file for a directory by another name.
func (d *discovery) namedOtherwise(h helper, dir string) bool {
	return slices.ContainsFunc(d.calls(h.tool), func(c *call) bool {
		dirs, _ := d.inputsOfCall(c)
		names := slices.Concat(c.flags["--output-file"], c.flags["--output-file-base"], c.flags["--O"])
		return slices.Contains(dirs, dir) && !slices.ContainsFunc(names, func(n string) bool { return strings.TrimSuffix(n, ".go") == strings.TrimSuffix(h.file, ".go") })
	})
}

// importsBack reports whether a package to which a directory asks for conversions imports that of the directory: their file, which imports both, cannot be
// there, so that a person moves it.
func (d *discovery) importsBack(h helper, dir string) bool {
	own := []byte(`"` + d.Modules.ImportPath(dir) + `"`)
	return h.name == "conversion" && slices.ContainsFunc(d.ByDir[dir], func(f *repo.GoFile) bool {
		return slices.ContainsFunc(conversionTag.FindAllSubmatch(f.Data, -1), func(m [][]byte) bool {
			peer, ok := d.Modules.Dir(string(m[1]))
			imports := func(data []byte) bool { return bytes.Contains(data, own) }
			return ok && slices.ContainsFunc(slices.Collect(maps.Values(d.GoSources(peer))), imports)
		})
	})
}

// conversionTag has the package to which conversions are asked for.
var conversionTag = lazyregexp.New(`(?m)^// ?\+k8s:conversion-gen=(\S+)`)

// givenBelow reports whether a function of kube_codegen.sh is given a directory, or one above it.
func (d *discovery) givenBelow(function, dir string) bool {
	return slices.ContainsFunc(d.calls(function), func(c *call) bool {
		dirs, _ := d.inputsOfCall(c)
		return slices.ContainsFunc(dirs, func(b string) bool { return text.Below(b, dir) })
	})
}

// searches reports whether a script gives a generator the directories with its tag, which it searches for as that of Kubernetes does.
func (d *discovery) searches(h helper) bool {
	return slices.ContainsFunc(d.calls(h.tool), func(c *call) bool {
		_, known := d.inputsOfCall(c)
		return !known && slices.ContainsFunc(d.Texts, func(t repo.Script) bool {
			return t.Path == c.script.path && slices.ContainsFunc(strings.Split(string(t.Data), "\n"), func(line string) bool {
				command, _, _ := strings.Cut(line, "#") // a comment searches for nothing
				return strings.Contains(command, "k8s:"+h.tool+"=")
			})
		})
	})
}

// isGiven reports whether calls give a directory to a generator, itself or with those below another one.
func (d *discovery) isGiven(h helper, dir string) bool {
	named := func(c *call) bool {
		dirs, _ := d.inputsOfCall(c)
		return slices.Contains(dirs, dir)
	}
	calls := d.calls(h.tool)
	if groups, _ := d.groupsOf(h.tool); d.groupsGone(d.Version.Version) == "" {
		calls = append(calls, groups...)
	}
	return slices.ContainsFunc(calls, named) || d.searches(h) || h.shared && d.givenBelow("gen_helpers", dir) || h.name == "register" && d.givenBelow("gen_register", dir)
}

// takeMissing has gen_openapi make the definitions that a call writes to a directory without any, if directories ask for them, and reports whether
// it does. files are all definitions. A call may depend on a condition, and what it writes may be for a moment: Go code that imports the package
// tells that it is to be there.
func (d *discovery) takeMissing(files []*repo.GoFile, dirs []string) bool {
	asked := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return d.leftOut(dir, files) })
	for _, c := range d.calls("gen_openapi") {
		dir, _ := d.local(c, c.flag("--output-dir"))
		if c.flag("--output-dir") == "" || !filepath.IsLocal(dir) || strings.Contains(dir, "$") || len(asked) == 0 || d.clears(c, dir) || d.deletes(c, path.Join(dir, config.OpenAPIFile)) || d.forked(dir) != "" ||
			d.Git.Ignores(path.Join(dir, config.OpenAPIFile)) || slices.ContainsFunc(files, func(f *repo.GoFile) bool { return f.Dir == dir }) {
			continue
		}
		if !d.imported(d.Modules.ImportPath(dir)) {
			d.Ask(c.at(), "what it writes to %s is missing, and no Go file imports it; if it should be there, write openapi: {dir: %s}", dir, dir)
			continue
		}
		extra, name := c.flags["--extra-pkgs"], path.Base(c.flag("--output-pkg"))
		if strings.Contains(strings.Join(slices.Concat(extra, c.flags["--output-model-name-file"], []string{name}), ""), "$") {
			d.Ask(c.at(), "what it writes to %s is missing, and not all that it is given can be read; write openapi: {dir: %s, extraPackages: […]}", dir, dir)
			continue
		}
		o := &d.Settings.OpenAPI
		o.Dir, o.ExtraPackages = dir, extra
		if c.flag("--output-pkg") != "" && name != path.Base(d.Modules.ImportPath(dir)) {
			o.Package = name
		}
		d.Set("openapi.dir", c.at())
		for _, other := range dirs {
			if !slices.Contains(asked, other) {
				d.excludeFrom("openapi", other, c.at())
			}
		}
		return true
	}
	return false
}

// missingDefinitions are the calls of openapi-gen that write definitions to a directory without any, and their places. Go code that uses them tells
// that they are to be there.
func (d *discovery) missingDefinitions(files []*repo.GoFile) (all []config.OpenAPICall, at []string) {
	for _, c := range d.calls("openapi-gen") {
		dir, _ := d.local(c, c.flag("--output-dir"))
		one := config.OpenAPICall{Dir: dir, File: cmp.Or(c.flag("--output-file"), "generated.openapi.go")}
		args, output := c.args, c.flag("--output-dir")
		if output == "" { // of v0.29 and before
			output = c.flag("--output-package")
			one.Dir, _ = d.Modules.Dir(output)
			one.File = cmp.Or(c.flag("--O"), c.flag("--output-file-base"), "openapi_generated") + ".go"
			args = strings.Split(cmp.Or(c.flag("--i"), c.flag("--input-dirs")), ",")
			dir = one.Dir
		}
		known := output != "" && dir != "" && filepath.IsLocal(dir) && !strings.Contains(path.Join(dir, one.File), "$") && len(args) > 0
		for _, arg := range args {
			p, ok := d.packageOf(c, arg)
			known = known && ok && !strings.Contains(p, "...")
			one.Packages = append(one.Packages, p)
		}
		slices.Sort(one.Packages)
		if !known || d.deletes(c, path.Join(dir, one.File)) || d.Git.Ignores(path.Join(dir, one.File)) || d.forked(dir) != "" ||
			slices.ContainsFunc(files, func(f *repo.GoFile) bool { return f.Dir == dir }) || !d.imported(d.Modules.ImportPath(dir), ".GetOpenAPIDefinitions") {
			continue
		}
		if name := path.Base(c.flag("--output-pkg")); c.flag("--output-pkg") != "" && name != path.Base(d.Modules.ImportPath(dir)) {
			one.Package = name
		}
		if one.File == config.OpenAPIFile {
			one.File = ""
		}
		if i := slices.IndexFunc(all, func(o config.OpenAPICall) bool { return o.Dir == one.Dir && o.File == one.File }); i >= 0 { // as in a makefile and a script
			if !slices.Equal(all[i].Packages, one.Packages) {
				all[i].Packages = nil
			}
			continue
		}
		all, at = append(all, one), append(at, c.at())
	}
	return all, at
}

// takeMissingCalls adds the calls whose definitions are missing, or lists these where their version is unknown.
func (d *discovery) takeMissingCalls(all []config.OpenAPICall, at []string, pinned bool) {
	o := &d.Settings.OpenAPI
	for i, c := range all {
		file, why := path.Join(c.Dir, cmp.Or(c.File, config.OpenAPIFile)), d.oldOpenAPI()
		if !pinned {
			why = "no command that crdctl can read tells the version of openapi-gen; set openapi: {version: VERSION, calls: […]}"
		}
		if len(c.Packages) == 0 {
			why = "another call gives other packages"
		}
		if why != "" {
			d.List("openapi", "openapi-gen", []string{file}, "it is missing, and "+at[i]+" writes it; "+why)
			continue
		}
		d.Set(fmt.Sprintf("openapi.calls[%d]", len(o.Calls)), at[i])
		o.Calls = append(o.Calls, c)
	}
}

// imported reports whether a Go file of the repository imports a package, and has some texts.
func (d *discovery) imported(importPath string, texts ...string) (found bool) {
	if importPath == "" {
		return false
	}
	quoted := []byte(`"` + importPath + `"`)
	_ = filepath.WalkDir(d.Root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil, e.IsDir() && file != d.Root && workspace.Foreign(e.Name()):
			return fs.SkipDir // what cannot be read imports nothing
		case !e.Type().IsRegular() || path.Ext(e.Name()) != ".go":
			return nil
		}
		data, err := safefs.ReadFile(file, safefs.MaxFile)
		if lacks := func(text string) bool { return !bytes.Contains(data, []byte(text)) }; err == nil && bytes.Contains(data, quoted) && !slices.ContainsFunc(texts, lacks) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
