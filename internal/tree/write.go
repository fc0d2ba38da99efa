package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/crdctl/crdctl/internal/scratch"
)

// Write makes the folder root as the changes say, in an order that leaves every file as it was or complete,
// whenever it is stopped: first all new content goes to a staging folder, then each file is renamed into place, and
// left-over files go last. An error before the first rename leaves nothing changed.
func Write(root string, changes []Change) (err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	// What killed runs left behind is in nobody's way, so trouble with it must not stop this one.
	_ = scratch.Sweep(root, stagePrefix)
	if len(changes) == 0 {
		return nil
	}
	s, err := newStage(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.scratch.Remove()) }()

	staged := map[string]string{}
	for i, c := range changes {
		if c.Op == Delete {
			continue
		}
		if staged[c.Path], err = s.put(i, c); err != nil {
			return fmt.Errorf("write %s: %w; nothing was changed", c.Path, unwrapPath(err))
		}
	}
	if err := makeFolders(dir, changes); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Op == Delete {
			continue
		}
		if err := dir.Rename(staged[c.Path], c.Path); err != nil {
			return fmt.Errorf("write %s: %w; the files before it are complete, run the command again for the rest", c.Path, unwrapPath(err))
		}
	}
	for _, c := range changes {
		if c.Op != Delete {
			continue
		}
		if err := dir.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", c.Path, unwrapPath(err))
		}
		removeEmpty(dir, path.Dir(c.Path))
	}
	return nil
}

// makeFolders makes the folders that new files need; if one can't be made, those made before it go again.
func makeFolders(dir *os.Root, changes []Change) error {
	var made []string
	for _, c := range changes {
		parent := path.Dir(c.Path)
		if c.Op != Create || parent == "." {
			continue
		}
		for p := parent; p != "."; p = path.Dir(p) {
			if _, err := dir.Lstat(p); errors.Is(err, fs.ErrNotExist) {
				made = append(made, p)
			}
		}
		if err := dir.MkdirAll(parent, 0o755); err != nil {
			for _, p := range made {
				_ = dir.Remove(p)
			}
			return fmt.Errorf("make the folder of %s: %w; nothing was changed", c.Path, unwrapPath(err))
		}
	}
	return nil
}

// removeEmpty removes a folder and those above it as long as they are empty: git does not keep them either.
func removeEmpty(dir *os.Root, name string) {
	for ; name != "."; name = path.Dir(name) {
		if dir.Remove(name) != nil {
			return
		}
	}
}
