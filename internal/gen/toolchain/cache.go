// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tempdir"
)

const (
	binaryName   = "engine"
	checksumName = "engine.sha256"
	lockName     = "lock"
	scratchName  = "build-"
	// checksumLimit is more than a checksum has.
	checksumLimit = 1 << 10
	// idle is how long an engine may go unused before it makes room.
	idle = 60 * 24 * time.Hour
	// lockPause is how long a process that waits for the lock of the cache sleeps between looks at it.
	lockPause = 20 * time.Millisecond
)

// engineName matches the names of keys.
var engineName = regexp.MustCompile(`^v.+-[0-9a-f]{16}$`)

// key names an engine: its version, and all else that its bytes depend on.
type key struct{ version, name string }

func (k kind) key(version, goVersion string) key {
	h := sha256.New()
	for _, s := range []string{k.module, version, k.with, goVersion, runtime.GOOS, runtime.GOARCH} {
		_, _ = fmt.Fprintf(h, "%q\n", s) // a hash does not fail
	}
	for _, f := range k.files() {
		_, _ = fmt.Fprintf(h, "%q %q\n", f.path, f.content)
	}
	return key{version: version, name: version + "-" + hex.EncodeToString(h.Sum(nil))[:16]}
}

// lookUp finds a whole engine in the cache. One that is truncated or was changed is none.
func lookUp(cache string, k key) (binary string, ok bool) {
	dir, err := safefs.Below(cache, false, k.name)
	if err != nil {
		return "", false // it does not exist, or another user could have made it
	}
	defer func() { _ = dir.Close() }()
	want, err := dir.Read(checksumName, checksumLimit)
	if err != nil {
		return "", false
	}
	f, err := dir.OpenFile(binaryName, os.O_RDONLY, 0)
	if err != nil {
		return "", false
	}
	got, err := checksumOf(f)
	if err != nil || got != strings.TrimSpace(string(want)) {
		return "", false
	}
	binary = dir.Join(binaryName)
	now := time.Now()
	_ = os.Chtimes(filepath.Join(cache, k.name), now, now) // a read-only cache serves as well
	return binary, true
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	return checksumOf(f)
}

// checksumOf also closes the file.
func checksumOf(f *os.File) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

// install moves the directory built, with a binary in it, into the cache. Where another process was faster, its engine is as
// good; where one is there that is not whole, it goes to trash, a directory that is about to be removed.
func install(ctx context.Context, cache string, k key, built, trash string) (binary string, err error) {
	sum, err := checksum(filepath.Join(built, binaryName))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(built, checksumName), []byte(sum+"\n"), 0o600); err != nil {
		return "", err
	}
	// One process at a time, so that none takes away what another has just put there.
	lock, err := lockCache(ctx, cache)
	if err != nil {
		return "", fmt.Errorf("lock the cache of engines: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if binary, ok := lookUp(cache, k); ok {
		return binary, nil
	}
	place := filepath.Join(cache, k.name)
	if err := os.Rename(place, filepath.Join(trash, "broken")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("remove a broken engine from the cache: %w", err)
	}
	if err := os.Rename(built, place); err != nil {
		return "", fmt.Errorf("add an engine to the cache: %w", err)
	}
	binary, ok := lookUp(cache, k)
	if !ok {
		return "", fmt.Errorf("%s does not have the content that was written; check the disk", place)
	}
	return binary, nil
}

// lockCache waits for the lock of the cache, which is held for as long as renames take.
func lockCache(ctx context.Context, cache string) (*os.File, error) {
	dir, err := safefs.Anchor(cache, safefs.Self())
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	for {
		lock, err := dir.Lock(lockName)
		if !errors.Is(err, safefs.ErrLocked) {
			return lock, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPause):
		}
	}
}

// newScratch makes a scratch directory in the cache, from which a rename into it is atomic, and removes what killed builds
// left and engines that were not used for long.
func newScratch(cache string) (*tempdir.Dir, error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, fmt.Errorf("create the cache of engines: %w", err)
	}
	_ = tempdir.Sweep(cache, scratchName) // build in spite of what others left
	d, err := tempdir.New(cache, scratchName)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(cache)
	if err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !engineName.MatchString(e.Name()) || time.Since(info.ModTime()) < idle {
			continue
		}
		// By rename, so that no half engine is ever seen; another process may have been faster.
		_ = os.Rename(filepath.Join(cache, e.Name()), filepath.Join(d.Path, "idle-"+e.Name()))
	}
	return d, nil
}
