// SPDX-License-Identifier: Apache-2.0

package fswatch

import (
	"context"
	"os"
	"time"
)

// lookEvery is how often a directory is looked for at its place. Where it is moved to is another's to watch.
const lookEvery = time.Second

// Moved hands out the first of the paths that is no longer what it was when Moved was called: moved, removed, or
// replaced. The channel is never closed. Empty paths are skipped.
func Moved(ctx context.Context, paths ...string) <-chan string {
	moved := make(chan string, 1)
	type place struct {
		path string
		info os.FileInfo
	}
	var known []place // in the order of the paths: where several are gone at once, the first says why
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && p != "" {
			known = append(known, place{p, info})
		}
	}
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for _, k := range known {
				if now, err := os.Stat(k.path); err != nil || !os.SameFile(k.info, now) {
					moved <- k.path
					return
				}
			}
		}
	}()
	return moved
}
