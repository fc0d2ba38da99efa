// SPDX-License-Identifier: Apache-2.0

// Package apidocs makes the pages of an API reference, in memory: a tree of files, as generators make one.
//
// It does not read settings, compare or write.
package apidocs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/apidocs/page"
	"github.com/crdctl/crdctl/internal/apidocs/reference"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/samples"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// mark is the last line of each page: files that end with it are ours, and those that have it as another line are pages that were edited.
const mark = samples.PageMark

// Options say what is made.
type Options struct {
	// Dir is the directory of the pages in the tree.
	Dir string
	// Formats are some of page.Markdown and page.HTML.
	Formats []string
	// Ignore are patterns of kinds and fields that are left out.
	Ignore []string
	// Templates is a directory with templates, and Named what errors call it; nil stands for crdctl's.
	Templates fs.FS
	Named     string
	// Against is an older state of the project, whose difference the pages show; nil for none.
	Against *revision.Base
}

// Result is what was made.
type Result struct {
	Tree  *tree.Tree
	Notes []string
	dir   string
}

// Make makes the pages of a project.
func Make(ctx context.Context, p *project.Project, o Options) (*Result, error) {
	if len(p.CRDs) == 0 {
		return nil, errors.New("no CustomResourceDefinition of the project was found; run \"crdctl generate\", or set crds.dir in crdctl.yaml")
	}
	for _, crd := range p.CRDs {
		for _, v := range crd.Spec.Versions {
			for _, name := range []string{crd.Spec.Group, v.Name, crd.Spec.Names.Kind} {
				if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\`) {
					return nil, fmt.Errorf("%s:%d: %q cannot be the name of a directory or a page; correct the CRD", crd.File, crd.Line, name)
				}
			}
		}
	}
	renderer, err := page.New(o.Templates, o.Named)
	if err != nil {
		return nil, err
	}
	ref, err := reference.Build(ctx, p, reference.Options{Ignore: o.Ignore, Against: o.Against})
	if err != nil {
		return nil, err
	}
	r := &Result{Tree: tree.New(), Notes: slices.Concat(p.Skipped, ref.Notes), dir: path.Clean(o.Dir)}
	for _, format := range o.Formats {
		files, err := renderer.Render(ref, format)
		if err != nil {
			return nil, fmt.Errorf("write the pages: %w", err)
		}
		for file, text := range files {
			if err := r.Tree.Add(path.Join(o.Dir, file), append(text, "\n"+mark...)); err != nil {
				return nil, err
			}
		}
	}
	r.Tree.Own(tree.Area{
		Dir: o.Dir, Tool: "crdctl docs",
		Match:    isPage,
		Owns:     func(_ string, data []byte) bool { return ours(data) },
		Replaces: func(_ string, data []byte) bool { return marked(data) },
		Act: func([]byte) string {
			return "it does not have crdctl's mark: move it away, or choose another directory with --output-dir or docs.dir"
		},
	})
	return r, nil
}

// ours reports whether a page ends with the mark.
func ours(data []byte) bool {
	return bytes.HasSuffix(bytes.ReplaceAll(bytes.TrimRight(data, "\r\n"), []byte("\r"), nil), bytes.TrimRight([]byte(mark), "\n"))
}

// LeftOver are the pages below root that docs wrote and does not write any more, and that are not removed because they were edited.
func (r *Result) LeftOver(root string) (pages []string, err error) {
	in, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	err = fs.WalkDir(in.FS(), r.dir, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!d.Type().IsRegular() || !isPage(file)) {
			return nil
		} else if err != nil {
			return err
		}
		if _, made := r.Tree.Content(file); made {
			return nil
		}
		data, err := safefs.ReadFileIn(in, filepath.FromSlash(file), safefs.MaxFile)
		if err == nil && marked(data) && !ours(data) {
			pages = append(pages, file)
		}
		return err
	})
	return pages, err
}

func isPage(file string) bool { return slices.Contains([]string{".md", ".html"}, path.Ext(file)) }

// marked reports whether a line of a page is the mark.
func marked(data []byte) bool {
	for line := range bytes.Lines(data) {
		if bytes.Equal(bytes.TrimRight(line, "\r\n"), bytes.TrimRight([]byte(mark), "\n")) {
			return true
		}
	}
	return false
}
