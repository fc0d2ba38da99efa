// SPDX-License-Identifier: Apache-2.0

// Package lockfile lets one crdctl at a time read, generate and write in a directory. Files are renamed into place, so that two
// at once would not break a file; but the slower one could put what it made of older sources over what the faster one
// made of newer ones.
//
// The lock is a file in the user's cache directory, since a generation leaves nothing in the tree; the system gives it up
// when its holder ends, however it ends.
package lockfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"time"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/ui"
)

// pause is how long a waiting process sleeps between looks at the lock.
const pause = 20 * time.Millisecond

// File is the right to generate in a directory.
type File struct{ lock *os.File }

// Lock waits for the turn in root, a path without links. waiting is called if another process has it, at once and then every
// 30 seconds. Where the user has no cache directory that can be written, there are no turns, and everybody goes on: a build in a
// sandbox must work, and is alone.
func Lock(ctx context.Context, root string, waiting func()) (*File, error) {
	dir, err := safefs.Cache(true, "turns")
	if err != nil {
		return &File{}, nil //nolint:nilerr // see above
	}
	defer func() { _ = dir.Close() }()
	// The files are empty, and stay: one that is removed can be locked by two, each in the belief that it is the one.
	sum := sha256.Sum256([]byte(root))
	name := hex.EncodeToString(sum[:16])
	var said time.Time
	for {
		lock, err := dir.Lock(name)
		switch {
		case err == nil:
			return &File{lock}, nil
		case !errors.Is(err, safefs.ErrLocked):
			return &File{}, nil //nolint:nilerr // a file system without locks is as good as none
		}
		if waiting != nil && time.Since(said) >= ui.WaitEvery {
			waiting()
			said = time.Now()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// Unlock gives the turn to the next.
func (t *File) Unlock() error {
	if t.lock == nil {
		return nil
	}
	return t.lock.Close()
}
