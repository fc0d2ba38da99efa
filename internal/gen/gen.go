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
	"path/filepath"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crd"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/tree"
)

// Options are how a generation differs from that of everything, today.
type Options struct {
	// Only are the short names of the generators to run; see Names. Empty means all.
	Only []string
	// Year is that of files that are new.
	Year int
	// UpdateReport accepts the API rule violations that there are, as the report to hold the next ones against.
	UpdateReport bool
}

// Result is what a generation made.
type Result struct {
	// Tree has the generated files, relative to the root, and the areas where they are all there should be.
	Tree *tree.Tree
	// Notes are what the generators had to say without failing.
	Notes []string
}

// Generate makes all generated files of the project in root.
func Generate(ctx context.Context, root string, p *project.Project, o Options) (*Result, error) {
	plan, err := NewPlan(root, p, o.Only)
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
	result.Tree, err = plan.tree(root, p, files, manifests, o)
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
