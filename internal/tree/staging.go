// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/tempdir"
)

// stagePrefix begins the name of a staging directory. It lies in the root itself, to be on one file system with most
// of what is renamed out of it, and starts with a dot, so that the go command does not see it.
const stagePrefix = ".crdctl-stage-"

// stage is a directory for files on their way, there and back. The names of files in it say which change they belong to.
type stage struct {
	disk    disk
	name    string // below the root
	changes []change
	dir     *tempdir.Dir
	n       int
	steps   []step   // to take back what was done
	holding bool     // a file of the user's that could not be put anywhere else
	saved   []string // where files of the user's are that could not go back to their place
}

// newStage creates the directory.
func newStage(root string, d disk, changes []Change) (*stage, error) {
	dir, err := tempdir.New(root, stagePrefix)
	if err != nil {
		return nil, err
	}
	s := &stage{disk: d, name: filepath.Base(dir.Path), dir: dir}
	for _, c := range changes {
		s.changes = append(s.changes, entryOf(c))
	}
	return s, nil
}

// end removes the directory, unless it holds what must not be lost.
func (s *stage) end() error {
	if s.holding {
		return s.dir.Leave()
	}
	return s.dir.Remove()
}

// next is the name of a file that does not exist yet in the stage, for the i-th change.
func (s *stage) next(i int) string {
	s.n++
	return path.Join(s.name, fmt.Sprintf("%d.%d", i, s.n))
}

// put writes the new content of the i-th change, and returns where it lies. It is not flushed to the platter: that would
// cost more than all else that writing does, and what a power failure leaves is made anew by the next run, since files
// are compared by their bytes.
func (s *stage) put(i int, data []byte, mode fs.FileMode) (string, error) {
	name := s.next(i)
	// A new file gets its mode less the umask, as any program's; one that is there keeps what its owner set.
	f, err := s.disk.Create(name, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if s.changes[i].Old != "" && err == nil {
		if info, statErr := s.disk.Stat(s.changes[i].Path); statErr == nil {
			err = f.Chmod(info.Mode().Perm())
		}
	}
	return name, errors.Join(err, f.Close())
}

// modeOf is the mode of a new file: a script can be executed, since git runs no hook that cannot.
func modeOf(data []byte) fs.FileMode {
	if bytes.HasPrefix(data, []byte("#!")) {
		return 0o755
	}
	return 0o644
}

// swap puts a file of the stage into the place of another one, and returns where that lies now, if it was taken away. On
// systems that cannot do that in one step there is a moment without a file, in which a user may write one.
func (s *stage) swap(i int, name, to string) (was string, err error) {
	err = s.disk.Exchange(name, to)
	if err == nil {
		return name, nil
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return "", err
	}
	was = s.next(i)
	if err := s.disk.Rename(to, was); err != nil {
		return "", err
	}
	return was, s.disk.RenameNew(name, to)
}

// back puts the old file of the i-th change, which lies in the stage, back into its place. What is there now is the new
// content, which is not needed any more, or a user's: that stays, and the old file is saved next to it.
func (s *stage) back(i int, old string) error {
	to := s.changes[i].Path
	if err := s.disk.RenameNew(old, to); !errors.Is(err, fs.ErrExist) {
		return err
	}
	was, err := s.swap(i, old, to)
	if errors.Is(err, fs.ErrNotExist) && was == "" {
		return s.disk.RenameNew(old, to)
	}
	if was == "" {
		return err
	}
	if err != nil { // a user wrote a file in the moment without one
		s.save(i, old)
		s.saveUnlessNew(i, was)
		return nil
	}
	if s.isNew(i, was) {
		return nil
	}
	if old, err = s.swap(i, was, to); err != nil {
		s.save(i, was)
		s.saveUnlessNew(i, old)
		return nil
	}
	s.save(i, old)
	return nil
}

// isNew reports whether a file is known to have the new content of the i-th change.
func (s *stage) isNew(i int, name string) bool {
	have, err := s.hashOf(name)
	return err == nil && have == s.changes[i].New
}

// saveUnlessNew saves a file, if there is one and it is not of the new content.
func (s *stage) saveUnlessNew(i int, name string) {
	if name != "" && !s.isNew(i, name) {
		s.save(i, name)
	}
}

// save gives a file of the stage a name next to its place, which is taken. Where that cannot be, the stage stays.
func (s *stage) save(i int, name string) {
	const tries = 100
	for n := range tries {
		to := s.changes[i].Path + ".crdctl-saved"
		if n > 0 {
			to = fmt.Sprintf("%s-%d", to, n+1)
		}
		err := s.disk.RenameNew(name, to)
		if err == nil {
			s.saved = append(s.saved, to)
			return
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	s.holding = true
	s.saved = append(s.saved, name)
}
