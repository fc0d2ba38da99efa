// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/calls"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/crdgen"
	"github.com/crdctl/crdctl/internal/gen/plan"
	"github.com/crdctl/crdctl/internal/gen/postprocess"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// tree puts the files of all generators together and says where nothing else of theirs may be.
func (g *generation) tree(m *made, o Options) (*tree.Tree, error) {
	root, proj := g.root, g.settings
	t := tree.New()
	m.Files = g.renamed(m.Files)
	files, err := g.withHeaders(m.Files)
	if err != nil {
		return nil, err
	}
	dated, err := withYears(root, files, o.Year)
	if err != nil {
		return nil, err
	}
	m.Notes = append(m.Notes, g.keepChanged(files, dated)...)
	named := map[string][]byte{}
	for i, f := range m.Files {
		if slices.Contains(strings.Split(f.Path, "/"), "vendor") {
			continue // a copy of another module's package, which has its generated files
		}
		if f.Generator == "openapi-gen" && named[f.Path] != nil && bytes.Equal(named[f.Path], f.Content) {
			continue // model names of a package that two calls define
		}
		named[f.Path] = f.Content
		if f.Generator == codegen.Report {
			err = addReport(t, root, proj.OpenAPI.Report, f.Content, o.UpdateReport || proj.OpenAPI.UpdateReport)
		} else {
			err = t.Add(f.Path, g.ordered(f, dated[i]))
		}
		if err != nil {
			return nil, err
		}
	}
	manifests, err := withConversions(proj, m.Manifests)
	if err != nil {
		return nil, err
	}
	for name, data := range manifests {
		if err := t.Add(path.Join(proj.CRDs.Dir, name), data); err != nil {
			return nil, err
		}
	}
	if m.Role != nil {
		if err := t.Add(path.Join(proj.RBAC.Dir, crdform.RoleFile), m.Role); err != nil {
			return nil, err
		}
	}
	for _, a := range g.plan.Areas {
		t.Own(g.area(a, m))
	}
	return t, nil
}

// renamed gives a file whose name is one of a test the name that it has on disk: the fake client of a kind Test is in fake_test.go, which Go leaves out
// of the package, so that a script has to rename it.
func (g *generation) renamed(files []codegen.File) []codegen.File {
	files = slices.Clone(files)
	made := map[string]bool{}
	for _, f := range files {
		made[f.Path] = true
	}
	for i, f := range files {
		if _, err := os.Lstat(filepath.Join(g.root, filepath.FromSlash(f.Path))); !strings.HasSuffix(f.Path, "_test.go") || err == nil {
			continue
		}
		inDir, _ := os.ReadDir(filepath.Join(g.root, filepath.FromSlash(path.Dir(f.Path)))) // without the directory, there is no other name
		var left []string
		for _, e := range inDir {
			file := path.Join(path.Dir(f.Path), e.Name())
			data, err := safefs.ReadFile(filepath.Join(g.root, filepath.FromSlash(file)), safefs.MaxFile)
			if err == nil && !made[file] && path.Ext(file) == ".go" && codegen.Owns(f.Generator, data) {
				left = append(left, file)
			}
		}
		if len(left) == 1 {
			files[i].Path = left[0]
		}
	}
	return files
}

// ordered is a file, or what is there already, where only the order of lines differs: before v0.30, the versions of a group had the order in which a
// script named them to informer-gen.
func (g *generation) ordered(f codegen.File, data []byte) []byte {
	if f.Generator != "informer-gen" || path.Base(f.Path) != "interface.go" || !toolchain.Old(g.version.Version) {
		return data
	}
	old, err := safefs.ReadFile(filepath.Join(g.root, filepath.FromSlash(f.Path)), safefs.MaxFile)
	lines := func(data []byte) []string { return slices.Sorted(strings.Lines(string(data))) }
	if err == nil && slices.Equal(lines(old), lines(data)) {
		return old
	}
	return data
}

// withConversions has webhooks convert the versions of the CRDs that the settings name.
func withConversions(proj *config.Project, generated map[string][]byte) (map[string][]byte, error) {
	manifests := maps.Clone(generated)
	if len(manifests) == 0 {
		return nil, nil // CRDs were not asked for
	}
	for i, w := range proj.CRDs.ConversionWebhooks {
		plural, group, _ := strings.Cut(w.CRD, ".")
		name := group + "_" + plural + ".yaml"
		data, ok := manifests[name]
		if !ok {
			return nil, fmt.Errorf("%s: crds.conversionWebhooks[%d]: no CRD %s is generated; use one of %s", config.FileName, i, w.CRD, strings.Join(slices.Sorted(maps.Keys(manifests)), ", "))
		}
		var err error
		if manifests[name], err = crdgen.WithConversion(data, w); err != nil {
			return nil, err
		}
	}
	return manifests, nil
}

// leftRole says that there is a role that no marker asks for and that is not removed; "" where there is none.
func (g *generation) leftRole(m *made) string {
	proj := g.settings
	if m.Role != nil || !slices.ContainsFunc(g.plan.Areas, func(a plan.Area) bool { return a.Generator == plan.RBAC }) {
		return ""
	}
	file := path.Join(proj.RBAC.Dir, crdform.RoleFile)
	data, err := safefs.ReadFile(filepath.Join(g.root, filepath.FromSlash(file)), safefs.MaxFile)
	if err != nil {
		return "" // there is none, or the comparison has the error
	}
	if about := crdform.AboutLeftRole(data, proj.RBAC.RoleName); about != "" {
		return file + ": " + about
	}
	return ""
}

// withHeaders gives files the header that the settings have for their directories, or for files next to the types.
func (g *generation) withHeaders(files []codegen.File) (with []codegen.File, err error) {
	headers := map[[2]string]codegen.Header{}
	with = slices.Clone(files)
	for i, f := range files {
		setting, file := g.headerFor(f)
		if file == "" {
			continue
		}
		header, ok := headers[[2]string{setting, file}]
		if !ok {
			if header, err = readHeader(g.root, setting, file); err != nil {
				return nil, err
			}
			headers[[2]string{setting, file}] = header
		}
		if with[i], err = codegen.WithBoilerplate(f, header.Boilerplate); err != nil {
			return nil, err
		}
	}
	return with, nil
}

// headerFor is the setting that names the header of a file, and that header file; "" where it is that of all.
func (g *generation) headerFor(f codegen.File) (setting, file string) {
	for dir := path.Dir(f.Path); len(g.settings.Boilerplates) > 0; dir = path.Dir(dir) {
		if file, ok := g.settings.Boilerplates[dir]; ok {
			return "boilerplates", file
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	if name, ok := strings.CutSuffix(f.Generator, "-gen"); ok && slices.Contains(config.Helpers, name) {
		return "helperBoilerplate", g.settings.HelperBoilerplate
	}
	return "", ""
}

// withYears puts years into the headers. The files on disk, which may bear older ones, are read side by side; one that another release
// of Go formatted stays as it is.
func withYears(root string, files []codegen.File, year int) ([][]byte, error) {
	dated := make([][]byte, len(files))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		group.Go(func() error {
			onDisk, _ := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(f.Path)), safefs.MaxFile) // a file that cannot be read has no year to keep
			if dated[i] = codegen.WithYear(f, onDisk, year); codegen.SameButGo(dated[i], onDisk) {
				dated[i] = onDisk
			}
			return nil
		})
	}
	return dated, group.Wait()
}

// keepChanged keeps what is on disk of files that a script changes, where nothing else differs. It returns notes about them. Where the script may
// have made the difference, the file stays, too, and is not compared.
func (g *generation) keepChanged(files []codegen.File, content [][]byte) (notes []string) {
	type change struct {
		by  *config.PostProcessed
		how postprocess.Relation
	}
	kept := map[change][]string{}
	for i, f := range files {
		by := g.settings.ControllerGen.PostProcessedBy(f.Path)
		if by == nil {
			continue
		}
		onDisk, err := safefs.ReadFile(filepath.Join(g.root, filepath.FromSlash(f.Path)), safefs.MaxFile)
		if err != nil {
			continue
		}
		switch r := postprocess.Compare(f.Path, content[i], onDisk); {
		case r.How == postprocess.Equal:
		case r.Fresh():
			content[i] = onDisk
			kept[change{by, r.How}] = append(kept[change{by, r.How}], f.Path)
		case by.Changes == "":
			content[i] = onDisk
			g.changed = append(g.changed, tree.NotCompared{Kind: strings.TrimSuffix(f.Generator, "-gen"), Tool: f.Generator, Paths: []string{f.Path}, Reason: calls.ChangedReason(by, r)})
		}
	}
	for c, paths := range kept {
		notes = append(notes, calls.FreshNote(slices.Min(paths), len(paths), cmp.Or(c.by.By, "a script"), c.how))
	}
	slices.Sort(notes)
	return notes
}

// area is where nothing else of a generator's may be.
func (g *generation) area(a plan.Area, m *made) tree.Area {
	switch role := g.settings.RBAC.RoleName; a.Generator {
	case plan.RBAC:
		return tree.Area{
			Dir:   a.Dir,
			Tool:  "controller-gen or crdctl",
			Match: func(p string) bool { return p == path.Join(a.Dir, crdform.RoleFile) },
			Owns:  func(_ string, data []byte) bool { return crdform.OwnsRole(data, role, m.Role) },
			Act:   func(data []byte) string { return crdform.AboutRole(data, role, m.Role) },
		}
	case plan.CRD:
		return tree.Area{
			Dir:  a.Dir,
			Tool: "controller-gen or crdctl",
			// Not those below: other people's CRDs, and patches, are kept there.
			Match: func(p string) bool { return path.Dir(p) == a.Dir },
			Owns:  func(file string, data []byte) bool { return crdform.Owns(path.Base(file), data, g.plan.Groups) },
		}
	}
	return tree.Area{
		Dir:           a.Dir,
		Tool:          a.Generator,
		KeepsLeftOver: a.KeepsLeftOver,
		Match: func(p string) bool {
			if a.File != "" {
				// A package that a generator leaves out may have a file of it all the same, which a script makes by naming the package.
				return path.Base(p) == a.File && (!a.Flat || path.Dir(p) == path.Clean(a.Dir)) && !slices.Contains(g.settings.ExcludeFrom[strings.TrimSuffix(a.Generator, "-gen")], path.Dir(p))
			}
			return strings.HasSuffix(p, ".go")
		},
		Owns: func(_ string, data []byte) bool { return codegen.Owns(a.Generator, data) },
		// Two tools make deep copies under one name. That of the other is never removed; it goes where tags ask for this one.
		Replaces: func(_ string, data []byte) bool { return a.File != "" && codegen.IsGenerated(data) },
	}
}

// addReport holds the violations of the API rules against those that are known.
func addReport(t *tree.Tree, root, known string, report []byte, update bool) error {
	if known == "" {
		return nil
	}
	if update {
		return t.Add(known, report)
	}
	before, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(known)), safefs.MaxFile)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var fresh []string
	for line := range strings.Lines(string(report)) {
		if !strings.Contains(string(before), line) {
			fresh = append(fresh, strings.TrimSpace(line))
		}
	}
	if len(fresh) > 0 {
		return fmt.Errorf("API rule violations that %s does not have:\n%s\nfix the types, or accept the violations with \"crdctl generate --update-report\"", known, strings.Join(fresh, "\n"))
	}
	return nil
}
