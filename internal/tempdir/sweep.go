// SPDX-License-Identifier: Apache-2.0

package tempdir

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/safefs"
)

// birthTime is how long a directory may exist before its lock does.
const birthTime = time.Minute

// Sweep removes the directories of this user in parent whose names begin with prefix and whose processes have ended.
func Sweep(parent, prefix string) error {
	return SweepAfter(parent, prefix, func(string) error { return nil })
}

// SweepAfter is Sweep that first has something done about each directory, whose lock is held meanwhile. An error leaves the
// directory as it is.
func SweepAfter(parent, prefix string, do func(dir string) error) error {
	return sweepOf(safefs.Self(), parent, prefix, do)
}

// sweepOf is Sweep for the directories of some owners.
func sweepOf(owners safefs.Owners, parent, prefix string, before func(dir string) error) error {
	in, err := safefs.Anchor(parent, owners)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", parent, err)
	}
	defer func() { _ = in.Close() }()
	entries, err := in.Entries()
	if err != nil {
		return fmt.Errorf("sweep %s: %w", parent, err)
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if err := sweep(in, e.Name(), before); err != nil {
			errs = append(errs, fmt.Errorf("sweep %s: %w", in.Join(e.Name()), err))
		}
	}
	return errors.Join(errs...)
}

func sweep(in *safefs.Dir, name string, before func(dir string) error) error {
	dir, err := in.Sub(name)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, safefs.ErrLink) {
		return nil // another user's, or swept by another process
	} else if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	lock, err := dir.LockExisting(LockName)
	switch {
	case errors.Is(err, safefs.ErrLocked), errors.Is(err, fs.ErrPermission): // alive, or another user's
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return sweepUnlocked(in, name)
	case err != nil:
		return err
	}
	defer func() { _ = lock.Close() }()     // after the removal, which it guards
	if strings.HasPrefix(name, RunPrefix) { // not in a repository, which may name any process
		proc.KillMarked(Mark(name)) // before the directory goes, which is all that is known of them
	}
	if err := before(dir.Path()); err != nil {
		return err
	}
	return remove(in, dir, name)
}

// sweepUnlocked removes a directory whose process was killed before it made the lock. It may as well be about to make it,
// hence the age; and it holds nothing, hence Remove.
func sweepUnlocked(in *safefs.Dir, name string) error {
	info, err := in.Lstat(name)
	if err != nil || time.Since(info.ModTime()) < birthTime {
		return nil //nolint:nilerr // being born, or swept by another process
	}
	return in.Remove(name)
}
