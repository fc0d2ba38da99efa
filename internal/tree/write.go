package tree

import (
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/crdctl/crdctl/internal/scratch"
)

// Write makes the folder root as the changes say. Whenever it is stopped, every file is as it was or complete: first all
// new content goes to a staging folder, then each file is renamed into place, and left-over files go last. On an error,
// what was done is taken back, so that the tree is as before.
func Write(root string, changes []Change) (err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return write(root, rootDisk{dir}, changes)
}

// write is Write on a disk.
func write(root string, d disk, changes []Change) (err error) {
	// What killed runs left behind is in nobody's way, so trouble with it must not stop this one.
	_ = scratch.Sweep(root, stagePrefix)
	if len(changes) == 0 {
		return nil
	}
	s, folder, err := newStage(root, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Remove()) }()

	staged := make([]string, len(changes))
	for i, c := range changes {
		if c.Op == Delete {
			continue
		}
		if staged[i], err = s.put(c.Path, c.New, c.mode); err != nil {
			return fmt.Errorf("write %s: %w; nothing was changed; %s", c.Path, unwrapPath(err), mend(err))
		}
	}
	u := &undo{stage: s}
	if err := place(d, s, u, changes, staged); err != nil {
		return u.all(err)
	}
	for _, c := range changes {
		if c.Op == Delete {
			removeEmpty(d, path.Dir(c.Path))
		}
	}
	return nil
}

// place makes the folders, renames what was staged into place, and left-over files out of it.
func place(d disk, s *stage, u *undo, changes []Change, staged []string) error {
	for _, c := range changes {
		if c.Op != Create {
			continue
		}
		if err := makeFolder(d, u, path.Dir(c.Path)); err != nil {
			return fmt.Errorf("make the folder of %s: %w", c.Path, unwrapPath(err))
		}
	}
	for i, c := range changes {
		if c.Op == Delete {
			continue
		}
		if err := d.Rename(staged[i], c.Path); err != nil {
			return fmt.Errorf("write %s: %w", c.Path, unwrapPath(err))
		}
		u.placed(c)
	}
	for _, c := range changes {
		if c.Op != Delete {
			continue
		}
		aside := s.next()
		if err := d.Rename(c.Path, aside); errors.Is(err, os.ErrNotExist) {
			continue // somebody else was faster
		} else if err != nil {
			return fmt.Errorf("remove %s: %w", c.Path, unwrapPath(err))
		}
		u.moved(c, aside)
	}
	return nil
}

// makeFolder makes a folder and those above it, of which the root is there.
func makeFolder(d disk, u *undo, name string) error {
	if name == "." {
		return nil
	}
	if info, err := d.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := makeFolder(d, u, path.Dir(name)); err != nil {
		return err
	}
	err := d.Mkdir(name, 0o755)
	if errors.Is(err, os.ErrExist) {
		if info, statErr := d.Stat(name); statErr == nil && info.IsDir() {
			return nil // another process made it just now
		}
		return errors.New("there is a file in its place")
	}
	if err == nil {
		u.made(name)
	}
	return err
}

// removeEmpty removes a folder and those above it as long as they are empty: git does not keep them either.
func removeEmpty(d disk, name string) {
	for ; name != "."; name = path.Dir(name) {
		if d.Remove(name) != nil {
			return
		}
	}
}
