// SPDX-License-Identifier: Apache-2.0

// Command once does what "crdctl generate" does in a project, with or without the type check of what it generates. The
// benchmark of that check runs it: crdctl itself has no way to leave the check out.
//
//	once with|without DIR
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	_ "github.com/crdctl/crdctl/internal/startup" // as crdctl starts
	"github.com/crdctl/crdctl/internal/startup/trim"
	"github.com/crdctl/crdctl/internal/tree"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "once:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 || args[0] != "with" && args[0] != "without" {
		return errors.New("usage: once with|without DIR")
	}
	root := args[1]
	settings, err := config.Load(root)
	if err != nil {
		return err
	}
	trim.Program()
	result, err := gen.Generate(ctx, root, settings, gen.Options{Results: cache.Open(), Year: time.Now().UTC().Year()})
	if err != nil {
		return err
	}
	if err := change.AddWiring(root, settings, result.Tree); err != nil {
		return err
	}
	changes, err := result.Tree.Diff(root)
	if err != nil {
		return err
	}
	if args[0] == "with" {
		var uncompiled *gen.CompileError
		if _, err := result.TypeCheck(ctx, changes); err != nil && (!errors.As(err, &uncompiled) || uncompiled.Cause == gen.Broken) {
			return err
		}
	}
	return tree.Write(root, changes)
}
