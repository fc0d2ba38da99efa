package codegen

import (
	"context"
	"fmt"
	"runtime"

	"github.com/golangci/gofmt"
	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/imports"
)

// Format formats the files in place, in parallel. It does what gengo does one file at a time: goimports, without
// looking for imports, and then gofmt -s, for which gengo starts a child process a file, and which it leaves out
// where none is in PATH.
func Format(ctx context.Context, files []File) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range files {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			out, err := format(files[i].Content)
			if err != nil {
				return fmt.Errorf("%s: %s made code that is not Go: %w", files[i].Path, files[i].Generator, err)
			}
			files[i].Content = out
			return nil
		})
	}
	return g.Wait()
}

func format(src []byte) ([]byte, error) {
	out, err := imports.Process("", src, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
	if err != nil {
		return nil, err
	}
	return gofmt.Source("", out, gofmt.Options{NeedSimplify: true})
}
