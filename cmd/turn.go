package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/turns"
)

// turn waits until no other crdctl generates in the project that --dir is in, and says so if that takes any time.
func (o *options) turn(ctx context.Context, w io.Writer) (*turns.Turn, error) {
	base, err := realPath(o.dir)
	if err != nil {
		return &turns.Turn{}, nil //nolint:nilerr // who reads the settings has the words for it
	}
	root, _ := project.Find(base) // where there is none, the folder itself is the root
	return turns.Take(ctx, cmp.Or(root, base), func() {
		_, _ = fmt.Fprintln(w, "another crdctl generates in this project; waiting for it to end")
	})
}
