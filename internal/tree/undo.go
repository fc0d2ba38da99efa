// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/crdctl/crdctl/internal/text"
)

// changedError is that of a file that a user wrote, moved or removed since it was read.
type changedError struct{ path string }

func (e *changedError) Error() string { return e.path + " changed during the command" }

// step takes one thing back.
type step struct {
	path string
	back func() error
}

// made notes a directory that did not exist.
func (s *stage) made(dir string) {
	s.steps = append(s.steps, step{dir, func() error {
		if err := s.disk.RemoveDir(dir); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}})
}

// created notes the file of the i-th change, which did not exist. A user may have written to it since: then it stays.
func (s *stage) created(i int) {
	path := s.changes[i].Path
	s.steps = append(s.steps, step{path, func() error {
		name := s.next(i)
		if err := s.disk.Rename(path, name); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		if !s.isNew(i, name) && s.disk.RenameNew(name, path) != nil {
			s.save(i, name)
		}
		return nil
	}})
}

// moved notes where the old file of the i-th change lies.
func (s *stage) moved(i int, old string) {
	s.steps = append(s.steps, step{s.changes[i].Path, func() error {
		err := s.back(i, old)
		if err != nil {
			s.holding = true
		}
		return err
	}})
}

// rollback takes everything back, the last first, because of an error, and says in it how the tree is now.
func (s *stage) rollback(because error) error {
	s.undoing()
	var left []string
	for _, step := range slices.Backward(s.steps) {
		if step.back() != nil {
			left = append(left, step.path)
		}
	}
	hint := remedy(because)
	if len(s.saved) > 0 {
		hint = fmt.Sprintf("other versions of these files are in %s; %s", strings.Join(s.saved, ", "), hint)
	}
	if changed := (*changedError)(nil); len(left) == 0 && errors.As(because, &changed) {
		return fmt.Errorf("%w; nothing was written; %s", because, hint)
	}
	if len(left) == 0 {
		return fmt.Errorf("%w; nothing was changed; %s", because, hint)
	}
	return fmt.Errorf("%w; %s could not be restored (each file is complete, either old or new); %s", because, text.First(left, 1), hint)
}

// remedy is what a user can do about an error of the disk.
func remedy(err error) string {
	const again = ", and run the command again"
	if _, ok := errors.AsType[*changedError](err); ok {
		return "run it again"
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some disk space" + again
	case errors.Is(err, syscall.EFBIG):
		return "raise the limit on the size of files (ulimit -f)" + again
	case errors.Is(err, syscall.EROFS):
		return "mount the file system read-write" + again
	case errors.Is(err, fs.ErrPermission):
		return "make its directory writable" + again
	case errors.Is(err, syscall.EXDEV):
		return "it is on another file system than the project; move it to the same one" + again
	}
	return "fix this" + again
}
