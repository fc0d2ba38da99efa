// SPDX-License-Identifier: Apache-2.0

// Command release makes the files of a release: an archive of each build of crdctl for each platform, a bill of materials for each of
// these, and SHA256SUMS. The same commit and Go version give the same bytes. "make release" runs it.
//
// It uploads nothing and makes no tags. It is a program of 250 lines instead of goreleaser because that is hundreds of modules to
// compile for what archive/tar and debug/buildinfo do here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	r := release{log: os.Stderr}
	var platforms, builds string
	flag.StringVar(&r.version, "version", "", "`version` of the release, such as v1.2.3 (default: that of the commit)")
	flag.StringVar(&r.out, "out", "dist", "`directory` to write the files to")
	flag.StringVar(&platforms, "platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64", "comma-separated `GOOS/GOARCH`")
	flag.StringVar(&builds, "builds", "full,codegen,loop", "comma-separated `builds`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.make(ctx, strings.Split(platforms, ","), strings.Split(builds, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
