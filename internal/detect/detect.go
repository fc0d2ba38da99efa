// SPDX-License-Identifier: Apache-2.0

// Package detect reads from a repository how its generated code was made: which API packages, which client trees
// with which names, which header, which version of the generators.
//
// The checked-in generated tree is the configuration: its imports, names and headers are what a generator once wrote.
// Scripts are the second witness, for the few things that leave no trace in the tree; for controller-gen they are the first, since
// its files do not say which packages they are made of. Tags alone decide only where nothing was generated yet. The package
// reads files; it runs no command, writes nothing, and knows no generator's inside.
package detect

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/controllergen"
	"github.com/crdctl/crdctl/internal/detect/evidence"
	"github.com/crdctl/crdctl/internal/detect/repo"
)

// ErrNothing is the error about a repository in which nothing is generated, and nothing asks for it.
var ErrNothing = errors.New("nothing to generate was found")

// NothingHint ends the text of that error: what to do for commands that generate.
const NothingHint = "name the directories with --api-dir and --client-dir, or create a project with \"crdctl init\""

// Found is what a repository's own files say about its generation.
type Found struct {
	evidence.Record
	// Project has the settings, validated and with their defaults.
	Project *config.Project
	// Version is the version of the generators that made the tree.
	Version Version

	file bool     // there is a project file, which has other settings
	made []string // the helpers that the tree shows, or that tags ask for where there is no tree
	// generated are the generators of Go files, by path.
	generated map[string]string
	// deleted are those of them that only git's index has.
	deleted map[string]bool
}

// Finding is something that a person has to decide, or may want to know.
type Finding = evidence.Finding

// Version is a version of k8s.io/code-generator.
type Version struct {
	Version string // as in v0.35.2; empty where nothing tells
	Source  string // file and line
}

// Undecided reports whether something that changes the generated code was left unread.
func (f *Found) Undecided() bool {
	return slices.ContainsFunc(f.Unread, func(u Finding) bool { return !u.Note })
}

// discovery is one run of Project.
type discovery struct {
	*repo.Repo
	*Found
	scripts   []*script
	trees     []*clientTree
	kinds     repo.Kinds
	fresh     bool            // nothing was generated yet
	guessed   map[string]bool // the settings that nothing shows, and that have a usual value
	keptCalls bool            // the calls of controller-gen are those of the project file that was there
	// left are the directories of the clientsets that are not compared.
	left []string
	// unpinned says why the version of code-generator is unknown that made the client trees; "" if it is not.
	unpinned string
}

// Edit changes what was found, for a caller who knows better.
type Edit struct {
	// Fields are those that it sets, as in clients[0].dir.
	Fields []string
	// Do makes the change; nil changes nothing.
	Do func(*config.Project) error
	// Was are the settings of a project file that is there, without defaults. They stay where the repository decides nothing.
	Was *config.Project
}

// Project reads the settings of the repository in root: a module, or a directory with modules below it. Edits change what
// was found; the fields that they set have no witnesses.
func Project(root string, edits ...Edit) (*Found, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("%w; set --dir to the repository's directory", err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory; set --dir to the repository's directory", root)
	}
	r, err := repo.Open(abs)
	if err != nil {
		return nil, fmt.Errorf("look for generated code: %w", err)
	}
	d := &discovery{Repo: r, guessed: map[string]bool{}, Found: &Found{Record: evidence.Record{
		Settings: config.Project{APIVersion: config.APIVersion, Kind: config.Kind}, Sources: map[string][]string{},
	}}}
	d.kinds = r.KindsByGroup()
	d.readGenerated()
	d.leaveRenamed()
	d.readScripts()
	d.readTrees()
	d.leaveUncalled()
	d.leaveForked()
	d.readAPIs()
	if d.fresh = len(d.Settings.APIs) == 0 && !slices.ContainsFunc(d.trees, d.ofOthers); d.fresh {
		if err := d.readFresh(); err != nil {
			return nil, err
		}
		d.readVersion()
		d.readOpenAPI()
	} else {
		d.readVersion()
		d.readClients()
		d.readHelpers()
		d.readOpenAPI()
	}
	d.readScriptSettings()
	d.readHeader()
	d.reader().Read()
	d.readController()
	var given []string
	for _, edit := range edits {
		given = append(given, edit.Fields...)
	}
	keep := func() {
		for _, edit := range edits {
			if edit.Was != nil {
				d.file = true
				d.keep(edit.Was, given)
			}
		}
	}
	keep()
	for _, edit := range edits {
		if edit.Do == nil {
			continue
		}
		if err := edit.Do(&d.Settings); err != nil {
			return nil, err
		}
		maps.DeleteFunc(d.Sources, func(field string, _ []string) bool { return slices.Contains(edit.Fields, field) })
	}
	leaveTo(&d.Settings)
	d.onlyControllerGen()
	d.guessed = nil
	keep() // also what is code-generator's alone
	d.NotCompared = d.notMade()
	if !makes(&d.Settings) {
		nothing := d.nothing()
		nothing.Unread = d.Unread
		return nil, nothing
	}
	if d.Project, err = config.Parse("the discovered settings", d.YAML()); err != nil {
		return nil, fmt.Errorf("%w\nwrite a %s by hand; its fields are in %s", err, config.FileName, config.SettingsPage)
	}
	for i := range d.Project.ControllerGen.Calls {
		d.Project.ControllerGen.Calls[i].Place = d.Settings.ControllerGen.Calls[i].Place // which YAML has as a comment
	}
	return d.Found, nil
}

// NoteMarkers has mistakes in markers count as notes where code was generated all the same, unless the settings say what they are. place is
// where the first is.
func (f *Found) NoteMarkers(place string) {
	if f.Settings.Markers == "" && len(f.generated) > 0 {
		f.Settings.Markers, f.Project.Markers = config.MarkerNotes, config.MarkerNotes
		f.Sources["markers"] = []string{place}
	}
}

// reader reads how controller-gen made its files.
func (d *discovery) reader() *controllergen.Reader {
	r := &controllergen.Reader{Repo: d.Repo, Record: &d.Record, Kinds: d.kinds, HeaderFile: func(header string, files int) string {
		file, _ := d.bestHeader(map[string]int{header: files}, nil)
		return file
	}}
	for _, t := range d.trees {
		dirs := []string{t.versioned, t.informers, t.listers}
		if t.apply != nil {
			dirs = append(dirs, t.apply.dir)
		}
		r.ClientDirs = append(r.ClientDirs, slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" }))
	}
	return r
}

// Line is the discovery in one line, for the run that goes without a project file.
func (f *Found) Line() string {
	var parts []string
	if g := f.Settings.Generators; len(f.Project.APIs) > 0 && (g == nil || len(g) > 0 || len(f.Project.Clients) > 0 || f.Project.OpenAPI.IsSet()) {
		parts = append(parts, "apis "+strings.Join(f.Project.APIs, ", "))
	}
	for _, c := range f.Project.Clients {
		kinds := "client"
		if c.Watch {
			kinds += ", lister, informer"
		}
		if c.ApplyConfiguration {
			kinds += ", applyconfiguration"
		}
		parts = append(parts, fmt.Sprintf("client tree %s (%s)", c.Dir, kinds))
	}
	if len(f.made) > 0 {
		parts = append(parts, strings.Join(f.made, ", "))
	}
	for _, part := range [][2]string{{"openapi", strings.Join(f.Project.OpenAPI.Dirs(), ", ")}, {"CRDs", f.Project.CRDs.Dir}, {"header", f.Project.Boilerplate}} {
		if part[1] != "" {
			parts = append(parts, part[0]+" "+part[1])
		}
	}
	if f.Version.Version != "" {
		parts = append(parts, fmt.Sprintf("code-generator %s (%s)", f.Version.Version, f.Version.Source))
	}
	if c := f.controllerGen(); c != "" {
		parts = append(parts, c)
	}
	if f.file {
		return fmt.Sprintf("%s has no settings of generated files: %s; \"crdctl adopt --force\" adds these", config.FileName, strings.Join(parts, "; "))
	}
	return fmt.Sprintf("no %s: %s; \"crdctl adopt\" writes these settings to it", config.FileName, strings.Join(parts, "; "))
}
