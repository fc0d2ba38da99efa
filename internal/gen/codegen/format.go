package codegen

import (
	"context"
	"fmt"
	"runtime"
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
}

// NewFormatter starts as many workers as there are processors.
func NewFormatter(ctx context.Context) *Formatter {
	f := &Formatter{}
	f.group, f.ctx = errgroup.WithContext(ctx)
	f.group.SetLimit(runtime.GOMAXPROCS(0))
	return f
}

// Add takes a file to be formatted.
func (f *Formatter) Add(file File) {
	f.group.Go(func() error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		if file.Generator != Report {
			out, err := format(file.Content)
			if err != nil {
				return fmt.Errorf("%s: %s made code that is not Go: %w", file.Path, file.Generator, err)
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
	return f.files, err
}

func format(src []byte) ([]byte, error) {
	out, err := imports.Process("", src, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
	if err != nil {
		return nil, err
	}
	return gofmt.Source("", out, gofmt.Options{NeedSimplify: true})
}
