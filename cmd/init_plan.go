// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

// findMain has the main package in a directory of its own, where that of the project has another one already. --force takes the
// place of a main package.
func (o *initOptions) findMain(place change.Location, p *scaffold.Project) {
	files, err := workspace.Glob(place.Root(), "*.go")
	if err != nil || len(files) == 0 {
		return
	}
	if file, err := parser.ParseFile(token.NewFileSet(), files[0], nil, parser.PackageClauseOnly); err == nil && file.Name.Name == "main" && o.force {
		return
	}
	p.Main = "cmd/" + p.First().Controller + "-controller"
}

// boilerplateFile is where the scaffold has the header of generated Go files.
const boilerplateFile = "hack/boilerplate.go.txt"

// withHeader adds the header that --boilerplate names to the files of the project. It has to be what Go takes for comments.
func (o *initOptions) withHeader(files map[string][]byte) (map[string][]byte, error) {
	if o.header == "" {
		return files, nil
	}
	content, err := os.ReadFile(o.header)
	if err != nil {
		return nil, ui.UsageErrorf("--boilerplate: %w", err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), o.header, string(content)+"\n\npackage x\n", parser.PackageClauseOnly); err != nil {
		return nil, ui.UsageErrorf("--boilerplate: %w; every line of it must be a comment", err)
	}
	all := map[string][]byte{boilerplateFile: content}
	maps.Copy(all, files)
	return all, nil
}

// amenities are files that a project can do without: where the user has others in their place, these stay.
var amenities = []string{
	".dockerignore", ".gitattributes", ".githooks/pre-commit", ".github/workflows/ci.yaml", ".gitignore", ".golangci.yml", "Dockerfile", "Makefile",
	"README.md", boilerplateFile,
}

// plan compares the project's files with what is on disk. The files that --force gives up are overwritten.
func (o *initOptions) plan(place change.Location, after change.Render) (plan *change.Plan, overwritten []string, err error) {
	plan, err = change.New(place, change.Render{}, after)
	if err != nil {
		return nil, nil, err
	}
	if o.force {
		overwritten = slices.Clone(plan.InTheWay) // Overwrite takes them off the list
		return plan, overwritten, plan.Overwrite()
	}
	inTheWay := slices.DeleteFunc(slices.Clone(plan.InTheWay), func(f string) bool { return slices.Contains(amenities, f) })
	if len(inTheWay) > 0 {
		return nil, nil, inTheWayError(place, inTheWay, "overwrite with --force")
	}
	if len(plan.InTheWay) > 0 {
		after.Project.Without = plan.InTheWay
		plan, err = change.New(place, change.Render{}, after)
	}
	return plan, nil, err
}

func inTheWayError(place change.Location, files []string, otherwise string) error {
	return fmt.Errorf("%s already in %s, nothing was written:\n  %s\nChoose another directory with --dir, or %s",
		text.Count(len(files), "file is", "files are"), place.Root(), strings.Join(files, "\n  "), otherwise)
}
