// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Write makes the directory root as the changes say. Whenever it is stopped, every file is as it was or complete: first all
// new content goes to a staging directory, then each file is swapped with the one in its place, and left-over files go last.
// What was replaced or removed is compared with what the changes were made of, when all is in place: where a user changed a
// file meanwhile, and on any other error, what was done is taken back, so that the tree is as before. No file of a user's is
// removed that is not known by its content; Recover sees to those that a killed run took away, except where crdctl could make
// no key for the user (there is no HOME): it then cannot know the stage again, and names it.
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
	// What killed runs left behind is not in the way, so trouble with it must not stop this one, but for files put back:
	// the changes were made without them.
	if restored, _ := recoverOn(root, d); len(restored) > 0 {
		return fmt.Errorf("%s; nothing was written; run it again", strings.Join(restored, "; "))
	}
	if len(changes) == 0 {
		return nil
	}
	s, err := newStage(root, d, changes)
	if err != nil {
		return fmt.Errorf("stage the new content: %w; nothing was changed; %s", err, remedy(err))
	}
	defer func() { err = errors.Join(err, s.end()) }()

	if err := s.plan(); err != nil {
		return fmt.Errorf("stage the new content: %w; nothing was changed; %s", unwrapPath(err), remedy(err))
	}
	staged := make([]string, len(changes))
	for i, c := range changes {
		if c.Op == Delete {
			continue
		}
		if staged[i], err = s.put(i, c.New, modeOf(c.New)); err != nil {
			return fmt.Errorf("write %s: %w; nothing was changed; %s", c.Path, unwrapPath(err), remedy(err))
		}
	}
	if err := s.begin(); err != nil {
		return fmt.Errorf("stage the new content: %w; nothing was changed; %s", unwrapPath(err), remedy(err))
	}
	hook("staged")
	old, err := s.place(changes, staged)
	hook("placed")
	if err == nil {
		err = s.compare(old)
	}
	if err != nil {
		return s.rollback(err)
	}
	err = s.discard(old)
	for _, c := range changes {
		if c.Op == Delete {
			removeEmpty(d, path.Dir(c.Path))
		}
	}
	return err
}

// place makes the directories, swaps what was staged with what is in its place, and moves left-over files away. It returns
// where the old file of each change lies.
func (s *stage) place(changes []Change, staged []string) (old []string, err error) {
	made := ""
	for _, c := range changes {
		if c.Op != Create || path.Dir(c.Path) == made {
			continue
		}
		made = path.Dir(c.Path)
		if err := s.makeDir(made); err != nil {
			return nil, fmt.Errorf("make the directory of %s: %w", c.Path, unwrapPath(err))
		}
	}
	old = make([]string, len(changes))
	for i, c := range changes {
		switch c.Op {
		case Create:
			err = s.create(i, staged[i])
		case Update:
			old[i], err = s.swap(i, staged[i], c.Path)
			if old[i] != "" {
				s.moved(i, old[i])
			}
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
				err = &changedError{c.Path}
			}
		case Delete:
			continue
		}
		if _, ok := errors.AsType[*changedError](err); ok {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("write %s: %w", c.Path, unwrapPath(err))
		}
	}
	for i, c := range changes {
		if c.Op != Delete {
			continue
		}
		aside := s.next(i)
		if err := s.disk.Rename(c.Path, aside); errors.Is(err, os.ErrNotExist) {
			continue // the user was faster
		} else if err != nil {
			return nil, fmt.Errorf("remove %s: %w", c.Path, unwrapPath(err))
		}
		old[i] = aside
		s.moved(i, aside)
	}
	return old, nil
}

// create puts a file where none is to be. One that has just appeared with the same content is as good.
func (s *stage) create(i int, staged string) error {
	path := s.changes[i].Path
	err := s.disk.RenameNew(staged, path)
	if errors.Is(err, fs.ErrExist) {
		if s.isNew(i, path) {
			return nil
		}
		return &changedError{path}
	}
	if err == nil {
		s.created(i)
	}
	return err
}

// compare holds the old files to what the changes were made of. Another process may also have made the same change.
func (s *stage) compare(old []string) error {
	for i, c := range s.changes {
		if old[i] == "" {
			continue
		}
		have, err := s.hashOf(old[i])
		if err != nil {
			return fmt.Errorf("compare %s: %w", c.Path, unwrapPath(err))
		}
		if have != c.Old && have != c.New {
			return &changedError{c.Path}
		}
	}
	return nil
}

// discard removes the old files. A program that had one open may have written to it up to now: it is looked at once more when it
// has no name any more, and what is in it is saved.
func (s *stage) discard(old []string) error {
	for i, c := range s.changes {
		if old[i] == "" {
			continue
		}
		f, err := s.disk.Open(old[i])
		if err != nil {
			continue // it is known by its content, and goes with the stage
		}
		_ = s.disk.Remove(old[i]) // as above
		if have, err := hashAll(f); err == nil && have != c.Old && have != c.New {
			s.rescue(i, f)
		}
		_ = f.Close() // it was only read
	}
	if len(s.saved) > 0 {
		return fmt.Errorf("files changed while they were replaced; everything was written, and their other changes are in %s", strings.Join(s.saved, ", "))
	}
	return nil
}

// rescue saves what is in a file that has no name any more.
func (s *stage) rescue(i int, f io.ReadSeeker) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return
	}
	if name, err := s.put(i, data, 0o600); err == nil {
		s.save(i, name)
	}
}

// makeDir makes a directory and those above it, of which the root exists.
func (s *stage) makeDir(name string) error {
	if name == "." {
		return nil
	}
	if info, err := s.disk.Stat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := s.makeDir(path.Dir(name)); err != nil {
		return err
	}
	err := s.disk.Mkdir(name, 0o755)
	if errors.Is(err, os.ErrExist) {
		if info, statErr := s.disk.Stat(name); statErr == nil && info.IsDir() {
			return nil // another process made it just now
		}
		return errors.New("a file has its name")
	}
	if err == nil {
		s.made(name)
	}
	return err
}

// removeEmpty removes a directory and those above it as long as they are empty: git does not keep them either.
func removeEmpty(d disk, name string) {
	for ; name != "."; name = path.Dir(name) {
		if d.RemoveDir(name) != nil {
			return
		}
	}
}
