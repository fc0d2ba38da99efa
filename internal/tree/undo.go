package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
)

// undo knows how to take back what was done to a tree.
type undo struct {
	stage *stage
	steps []step
}

// step takes one thing back.
type step struct {
	path string
	back func() error
}

// made notes a folder that was not there.
func (u *undo) made(folder string) {
	u.steps = append(u.steps, step{folder, func() error { return u.stage.disk.Remove(folder) }})
}

// placed notes a file that was written. What it was is in memory, so that a run that goes well does nothing for one that
// does not.
func (u *undo) placed(c Change) {
	u.steps = append(u.steps, step{c.Path, func() error {
		if c.Op == Create {
			return u.stage.disk.Remove(c.Path)
		}
		name, err := u.stage.put(c.Path, c.Old, c.mode)
		if err != nil {
			return err
		}
		return u.stage.disk.Rename(name, c.Path)
	}})
}

// moved notes a left-over file that lies aside now.
func (u *undo) moved(c Change, aside string) {
	u.steps = append(u.steps, step{c.Path, func() error { return u.stage.disk.Rename(aside, c.Path) }})
}

// all takes everything back, the last first, because of an error, and says in it how the tree is now.
func (u *undo) all(because error) error {
	var left []string
	for _, s := range slices.Backward(u.steps) {
		if s.back() != nil {
			left = append(left, s.path)
		}
	}
	if len(left) == 0 {
		return fmt.Errorf("%w; nothing was changed; %s", because, mend(because))
	}
	names := left[0]
	if len(left) > 1 {
		names = fmt.Sprintf("%s and %d more", left[0], len(left)-1)
	}
	return fmt.Errorf("%w; %s could not be put back (each file is whole, as it was or new); %s", because, names, mend(because))
}

// mend is what a user can do about an error of the disk.
func mend(err error) string {
	const again = ", and run the command again"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on the disk" + again
	case errors.Is(err, syscall.EFBIG):
		return "raise the limit on the size of files (ulimit -f)" + again
	case errors.Is(err, syscall.EROFS):
		return "mount the file system writable" + again
	case errors.Is(err, fs.ErrPermission):
		return "make its folder writable for you" + again
	case errors.Is(err, syscall.EXDEV):
		return "it is on another file system than the project; put it on the same one" + again
	}
	return "see to that" + again
}
