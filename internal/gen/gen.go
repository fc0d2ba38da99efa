// Package gen decides what a project's generated files are and makes them, in memory.
//
// generate and verify are both Generate: one writes the tree that it returns, the other compares it. Generate never
// writes, and knows neither the command line nor who calls it.
package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crd"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/tree"
)

// Result is what a generation made.
type Result struct {
	// Tree has the generated files, relative to the root, and the areas where they are all there should be.
	Tree *tree.Tree
	// Notes are what the generators had to say without failing.
	Notes []string
}

// Generate makes all generated files of the project in root. Files that are new bear the given year.
func Generate(ctx context.Context, root string, p *project.Project, year int) (*Result, error) {
	plan, err := NewPlan(root, p)
	if err != nil {
		return nil, err
	}
	header, err := readHeader(root, p.Boilerplate)
	if err != nil {
		return nil, err
	}
	var manifests map[string][]byte
	result := &Result{}
	var files []codegen.File

	// controller-tools loads packages in its own way; beside each other, the two loads take the time of the longer.
	// Neither breaks off the other: what is wrong with a package must not be said by whoever comes first.
	var codeErr, crdErr error
	var both sync.WaitGroup
	both.Go(func() { files, result.Notes, codeErr = plan.run(ctx, root, header) })
	if len(plan.CRDs) > 0 {
		both.Go(func() { manifests, crdErr = crd.Generate(ctx, root, plan.CRDs) })
	}
	both.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := cmp.Or(codeErr, crdErr); err != nil {
		return nil, explain(ctx, root, plan.Load, err)
	}
	result.Notes = append(plan.Notes, result.Notes...)
	result.Tree, err = plan.tree(root, p, files, manifests, year)
	return result, err
}

func readHeader(root, boilerplate string) (codegen.Header, error) {
	if boilerplate == "" {
		return codegen.Header{}, nil
	}
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(boilerplate)))
	if errors.Is(err, fs.ErrNotExist) {
		return codegen.Header{}, fmt.Errorf("boilerplate: %s does not exist; make the file, or take the line out of %s", boilerplate, project.FileName)
	}
	return codegen.Header{Boilerplate: data}, err
}

// run loads the packages once and runs all generators on them.
func (p *Plan) run(ctx context.Context, root string, header codegen.Header) (files []codegen.File, notes []string, err error) {
	if len(p.Generators) == 0 {
		return nil, nil, nil
	}
	pkgs, err := codegen.Load(ctx, root, p.Load)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range p.Generators {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		made, said, err := pkgs.Run(g, header)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, made...)
		for _, line := range said {
			notes = append(notes, g.Name+": "+line)
		}
	}
	return files, notes, codegen.Format(ctx, files)
}

// tree puts the files of all generators together and says where nothing else of theirs may be.
func (p *Plan) tree(root string, proj *project.Project, files []codegen.File, manifests map[string][]byte, year int) (*tree.Tree, error) {
	t := tree.New()
	for _, f := range files {
		rel, err := filepath.Rel(root, f.Path)
		if err != nil {
			return nil, err
		}
		onDisk, _ := os.ReadFile(f.Path) // a file that can't be read has no year to keep
		if err := t.Add(filepath.ToSlash(rel), codegen.WithYear(f, onDisk, year)); err != nil {
			return nil, err
		}
	}
	for name, data := range manifests {
		if err := t.Add(path.Join(proj.CRDs.Dir, name), data); err != nil {
			return nil, err
		}
	}
	for _, a := range p.areas {
		t.Own(a.area())
	}
	if dir := proj.CRDs.Dir; dir != "" {
		t.Own(tree.Area{
			Dir:  dir,
			Tool: "controller-gen or crdctl",
			// Not those below: other people's CRDs, and patches, are kept there.
			Match: func(p string) bool { return path.Dir(p) == dir },
			Owns:  func(file string, data []byte) bool { return crd.Owns(path.Base(file), data, p.groups) },
		})
	}
	return t, nil
}

func (a codeArea) area() tree.Area {
	return tree.Area{
		Dir:  a.dir,
		Tool: a.generator,
		Match: func(p string) bool {
			if a.file != "" {
				return path.Base(p) == a.file
			}
			return strings.HasSuffix(p, ".go")
		},
		Owns: func(_ string, data []byte) bool { return codegen.Owns(a.generator, data) },
	}
}
