// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

// over puts the flags that were given instead of what p says. Paths of flags are relative to the directory base.
func (f *settings) over(p *config.Project, root, base string) error {
	given := f.given()
	switch {
	case f.set.Changed("client-dir"):
		p.Clients = []config.Client{{}}
	case slices.ContainsFunc(given, config.Setting.InClient) && len(p.Clients) != 1:
		return ui.UsageErrorf("the project has %d client trees; choose the one that the flags are for with --client-dir", len(p.Clients))
	}
	var problems []error
	for _, s := range given {
		s.Copy(p, &f.flag)
		if list, ok := s.Value(p).(*[]string); ok && slices.Equal(*list, []string{""}) { // as --exclude-dir= has it
			*list = nil
		}
		for _, text := range s.Strings(p) {
			if s.Format != config.Path || *text == "" || config.BuiltSchema(*text) && s.Flag == "applyconfig-openapi-schema" {
				continue
			}
			rel := relativeTo(root, base, *text)
			if !filepath.IsLocal(filepath.FromSlash(rel)) {
				problems = append(problems, ui.UsageErrorf("%s is not below the project's directory %s; set --dir to the project's directory", *text, root))
				rel = "refused" // a path that the checks of the settings do not report again
			}
			*text = rel
		}
	}
	// Other API packages are not those that a client tree names.
	if f.set.Changed("api-dir") {
		for i := range p.Clients {
			p.Clients[i].APIs, p.Clients[i].Packages = nil, nil
		}
	}
	if f.set.Changed("one-input-api") {
		p.Clients[0].Packages = nil
	}
	return errors.Join(problems...)
}

// located is a project and where its settings come from.
type located struct {
	root     string
	settings *config.Project
	// found is what was discovered, where there is neither crdctl.yaml nor enough said by flags.
	found *detect.Found
}

// setDirHint is for commands that need no project but the directory of one.
const setDirHint = "set --dir to the project's directory"

// noProjectHint ends the error about a directory without a project.
const noProjectHint = "create a project with \"crdctl init\", or set --dir to a project's directory"

// project are the root and the settings of the project: those of crdctl.yaml, or where there is none those of the flags,
// or where these say nothing of the layout those that are discovered. A crdctl.yaml may leave these to discovery, too.
func (f *settings) project(o *options) (*located, error) {
	base, err := realPath(o.dir)
	if err != nil {
		return nil, fmt.Errorf("%w; give the project's directory with --dir", err)
	}
	root, err := config.Find(base)
	switch written := detects(root); {
	case err == nil && written != nil && !f.set.Changed("api-dir"):
		found, err := detect.Project(root, f.edit(root, base), detect.Edit{Was: written})
		if err != nil {
			return nil, err
		}
		return &located{root: root, settings: found.Project, found: found}, nil
	case err == nil:
		var flagErr error
		p, err := config.Load(root, func(p *config.Project) { flagErr = f.over(p, root, base) })
		if err = errors.Join(flagErr, err); err == nil && len(p.APIs) == 0 && len(p.ControllerGen.Calls) == 0 { // a project of the built-in loop needs none, but this does
			err = fmt.Errorf("%s: apis: is empty; name the directories of the API packages, for example apis: [pkg/apis]", config.FileName)
		}
		return &located{root: root, settings: p}, err
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case f.set.Changed("api-dir"):
		p := &config.Project{}
		if err := f.over(p, base, base); err != nil {
			return nil, err
		}
		return &located{root: base, settings: p}, p.Complete("flags")
	}
	if workspace.Above(base, "go.mod") == "" && len(workspace.ModulesBelow(base)) == 0 {
		return nil, fmt.Errorf("no %s and no go.mod in %s or any parent directory; %s", config.FileName, base, noProjectHint)
	}
	root, found, err := discover(base, func(root string) detect.Edit { return f.edit(root, base) })
	if err != nil {
		return nil, err
	}
	return &located{root: root, settings: found.Project, found: found}, nil
}

// detects are the settings of a crdctl.yaml that leaves it to crdctl to detect what is generated; nil, where it does not.
func detects(root string) *config.Project {
	if p, err := config.LoadWritten(root); err == nil && p.Detects() {
		return p
	}
	return nil
}

// discover finds out about a directory without crdctl.yaml, or where there is nothing in it, or its calls lead out of it, about the root of its
// module: commands work from anywhere in a project, as they do below a crdctl.yaml.
func discover(base string, edit func(root string) detect.Edit) (root string, found *detect.Found, err error) {
	found, err = detect.Project(base, edit(base))
	module := workspace.Above(base, "go.mod")
	if _, none := errors.AsType[*detect.NothingError](err); (none || errors.Is(err, detect.ErrNothing) || err == nil && leadsOut(found.Project)) && module != "" && module != base {
		if above, aboveErr := detect.Project(module, edit(module)); aboveErr == nil {
			return module, above, nil
		}
	}
	return base, found, err
}

// leadsOut reports whether a call of controller-gen names packages outside of the project's root.
func leadsOut(p *config.Project) bool {
	return slices.ContainsFunc(p.ControllerGen.Calls, func(c config.ControllerGenCall) bool {
		return slices.ContainsFunc(c.Paths, func(at string) bool { return !filepath.IsLocal(filepath.Join(c.Dir, at)) })
	})
}

// edit are the flags as a change of what is discovered in root. Their paths are relative to the directory base.
func (f *settings) edit(root, base string) detect.Edit {
	e := detect.Edit{Do: func(p *config.Project) error { return f.over(p, root, base) }}
	for _, s := range f.given() {
		e.Fields = append(e.Fields, s.Field)
	}
	return e
}
