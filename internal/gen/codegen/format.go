// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/golangci/gofmt"
	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/imports"
)

// Formatter formats files while more of them are made. It does what gengo does one file at a time: goimports, without
// looking for imports, and then gofmt -s, for which gengo starts a child process a file, and which it leaves out where
// none is in PATH.
type Formatter struct {
	ctx   context.Context
	group *errgroup.Group
	mu    sync.Mutex
	files []File
	errs  []error
}

// NewFormatter starts as many workers as there are processors.
func NewFormatter(ctx context.Context) *Formatter {
	f := &Formatter{}
	f.group, f.ctx = &errgroup.Group{}, ctx
	f.group.SetLimit(runtime.GOMAXPROCS(0))
	return f
}

// Add takes a file to be formatted.
func (f *Formatter) Add(file File) {
	f.group.Go(func() error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		if file.Generator != Report && !file.formatted {
			out, err := format(file.Content)
			if quoted, ok := requote(file); err != nil && ok {
				out, err = format(quoted)
			}
			if err != nil {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.errs = append(f.errs, fmt.Errorf("%s: %s generated code that is not Go: %w", file.Path, file.Generator, err))
				return nil
			}
			file.Content = out
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.files = append(f.files, file)
		return nil
	})
}

// Files waits for all files, and returns them in the order in which they were done.
func (f *Formatter) Files() ([]File, error) {
	err := f.group.Wait()
	slices.SortFunc(f.errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return f.files, errors.Join(append(f.errs, err)...)
}

// requote is the file of applyconfiguration-gen that has the schema in a raw string, with the back quotes in the schema, which
// a default may have, outside of it. Upstream's bytes are not Go there.
func requote(file File) ([]byte, bool) {
	const opens, closes = "typed.YAMLObject(`", "`)\n"
	head, rest, found := bytes.Cut(file.Content, []byte(opens))
	end := bytes.LastIndex(rest, []byte(closes))
	if file.Generator != "applyconfiguration-gen" || !found || end < 0 {
		return nil, false
	}
	schema := bytes.ReplaceAll(rest[:end], []byte("`"), []byte("` + \"`\" + `"))
	return slices.Concat(head, []byte(opens), schema, rest[end:]), true
}

// format spares goimports the body: it would parse and print a file twice, and gofmt -s once more.
func format(src []byte) ([]byte, error) {
	if end := importsEnd(src); end > 0 {
		head, err := imports.Process("", src[:end], &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
		if err != nil {
			return nil, err
		}
		src = slices.Concat(head, src[end:])
	}
	return gofmt.Source("", src, gofmt.Options{NeedSimplify: true})
}

// importsEnd is where the one import declaration that gengo writes ends, or 0 if there is none. A body with a
// declaration of its own is not known of any generator; then the end is that of the file.
func importsEnd(src []byte) int {
	start := bytes.Index(src, []byte("\nimport "))
	if start < 0 {
		return 0
	}
	end := bytes.Index(src[start:], []byte("\n)\n"))
	if end < 0 || bytes.Contains(src[start+end:], []byte("\nimport ")) {
		return len(src)
	}
	return start + end + len("\n)\n")
}
