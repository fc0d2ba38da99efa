// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/lockfile"
)

// lock waits until no other crdctl generates in the project that --dir is in, and says so if that takes any time.
func (o *options) lock(ctx context.Context, w io.Writer) (*lockfile.File, error) {
	base, err := realPath(o.dir)
	if err != nil {
		return &lockfile.File{}, nil //nolint:nilerr // reading the settings reports it
	}
	root, _ := config.Find(base) // where there is none, the directory itself is the root
	return lockfile.Lock(ctx, cmp.Or(root, base), func() {
		_, _ = fmt.Fprintln(w, "another crdctl is generating in this project; waiting for it")
	})
}
