// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// readHeaders finds the deep copies of controller-gen that have more in their header than their call gives them, where a command adds headers.
// A header that differs from the one of the call may as well be an old one, which the next run changes: that is stale.
func (r *Reader) readHeaders(calls []*genCall, by scriptline.Lines) {
	if len(by) == 0 {
		return
	}
	for _, c := range calls {
		if c.Object == nil {
			continue
		}
		above := r.aboveHeader(c)
		for _, f := range r.copiesOf(c) {
			if more, ok := above(repo.NormalHeader(f.Header)); ok && more != "" {
				r.PostProcess(by.Near(f.Path).On(f.Path))
			}
		}
	}
}

// settleHeaders decides between two calls in different files that make the same deep copies with different headers, such as those of a recipe and
// of a directive in Go code: the one that ran last is the one whose header they have. The other makes none then.
func (r *Reader) settleHeaders(calls []*genCall) []*genCall {
	has := map[*repo.GoFile][]*genCall{} // the calls whose header a file has
	for _, c := range calls {
		if c.Object == nil {
			continue
		}
		above := r.aboveHeader(c)
		for _, f := range r.copiesOf(c) {
			if more, ok := above(repo.NormalHeader(f.Header)); ok && more == "" {
				has[f] = append(has[f], c)
			}
		}
	}
	script := func(c *genCall) string {
		file, _, _ := strings.Cut(c.at, ":")
		return file
	}
	return slices.DeleteFunc(calls, func(c *genCall) bool {
		if c.Object == nil {
			return false
		}
		copies := r.copiesOf(c)
		if len(copies) == 0 || slices.ContainsFunc(copies, func(f *repo.GoFile) bool {
			return slices.Contains(has[f], c) || !slices.ContainsFunc(has[f], func(o *genCall) bool { return script(o) != script(c) })
		}) {
			return false
		}
		c.Object = nil
		return len(c.Generators()) == 0
	})
}

// unknownHeader is an option with a header file whose name only running the script tells, which may write the file itself.
var unknownHeader = lazyregexp.New("^object:.*headerFile=.*([$`]|{{)")

// findHeaders finds the headers of calls that do not tell theirs: the file that has the header of their deep copies. If there is none, the files
// are compared without their headers.
func (r *Reader) findHeaders(calls []*genCall) []*genCall {
	for _, c := range calls {
		if !c.headerUnknown {
			continue
		}
		byHeader := map[string][]*repo.GoFile{}
		for _, f := range r.copiesOf(c) {
			byHeader[repo.NormalHeader(f.Header)] = append(byHeader[repo.NormalHeader(f.Header)], f)
		}
		for header, files := range byHeader {
			if len(byHeader) == 1 && r.takeHeader(c, header, len(files)) {
				break
			}
			for _, f := range files {
				r.PostProcess(config.PostProcessed{Path: f.Path, By: c.at + ": " + unknownHeaderFile, Changes: config.ChangesForm})
			}
		}
	}
	return calls
}

// unknownHeaderFile stands for the command that gives files a header, where controller-gen does so itself.
const unknownHeaderFile = "object:headerFile, with a file that is not known"

// takeHeader gives a call the file that has the header of a number of its deep copies, and reports whether there is one.
func (r *Reader) takeHeader(c *genCall, header string, files int) bool {
	if header == "" {
		return true
	}
	file := r.HeaderFile(header, files)
	if file == "" {
		return false
	}
	c.Object.HeaderFile = relative(c.Dir, file)
	if data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(file)), safefs.MaxFile); err == nil && bytes.Contains(data, []byte(" YEAR")) {
		c.Object.Year = config.CurrentYear
	}
	return true
}

// copiesOf are the files with deep copies that a call makes.
func (r *Reader) copiesOf(c *genCall) (all []*repo.GoFile) {
	for _, f := range r.Files {
		if f.Generator == Name && path.Base(f.Path) == DeepCopies && covers(c, r.Modules, f.Dir) {
			all = append(all, f)
		}
	}
	return all
}

// aboveHeader is [repo.Repo.AboveHeader] for the deep copies of a call.
func (r *Reader) aboveHeader(c *genCall) func(header string) (above string, ok bool) {
	if c.Object.HeaderFile == "" {
		return r.AboveHeader("")
	}
	return r.AboveHeader(path.Join(c.Dir, c.Object.HeaderFile))
}

// hasHeader reports whether a manifest begins with the header that a call gives it.
func (r *Reader) hasHeader(calls []*genCall, manifest string) bool {
	data, err := safefs.ReadFile(filepath.Join(r.Root, filepath.FromSlash(manifest)), safefs.MaxFile)
	top, _, _ := strings.Cut(string(data), "---\n")
	return err == nil && slices.ContainsFunc(calls, func(c *genCall) bool {
		return slices.ContainsFunc(c.Generators(), func(name string) bool {
			h := c.Header(name)
			dir, ok := c.OutputDir(name)
			if !ok || dir != path.Dir(manifest) || h == nil || h.HeaderFile == "" {
				return false
			}
			above, ok := r.AboveHeader(path.Join(c.Dir, h.HeaderFile))(repo.NormalHeader(top))
			return ok && above == ""
		})
	})
}
