package tree

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

// stagePrefix begins the name of a staging folder. It lies in the root itself, to be on one file system with most
// of what is renamed out of it, and starts with a dot, so that the go command does not see it.
const stagePrefix = ".crdctl-stage-"

// stage is a folder for content on its way. The lock in it tells a live run's folder from a killed run's.
type stage struct {
	dir  *os.Root
	name string
	lock *fileutil.LockedFile
}

// newStage makes a staging folder. A run that sweeps at this very moment may take it away before it is locked: then
// another is made.
func newStage(dir *os.Root) (*stage, error) {
	var err error
	for range 10 {
		s := &stage{dir: dir, name: stagePrefix + strings.ToLower(rand.Text()[:8])}
		if err = dir.Mkdir(s.name, 0o755); err != nil {
			return nil, fmt.Errorf("make the staging folder: %w; nothing was changed", unwrapPath(err))
		}
		s.lock, err = fileutil.TryLockFile(filepath.Join(dir.Name(), s.name, "lock"), os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			return s, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fileutil.ErrLocked) {
			_ = dir.RemoveAll(s.name)
			break
		}
	}
	return nil, fmt.Errorf("lock the staging folder: %w; nothing was changed", unwrapPath(err))
}

// put writes a file and returns where it lies.
func (s *stage) put(i int, c Change) (string, error) {
	name := path.Join(s.name, fmt.Sprint(i))
	// A new file gets its mode less the umask, as any program's; one that is there keeps what its owner set.
	f, err := s.dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, c.mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(c.New)
	if info, statErr := s.dir.Stat(c.Path); statErr == nil {
		err = errors.Join(err, f.Chmod(info.Mode().Perm()))
	}
	return name, errors.Join(err, f.Close())
}

func (s *stage) remove() error {
	return errors.Join(s.lock.Close(), s.dir.RemoveAll(s.name))
}

// sweep removes the staging folders of runs that were killed.
func sweep(dir *os.Root) error {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		lock, err := fileutil.TryLockFile(filepath.Join(dir.Name(), e.Name(), "lock"), os.O_WRONLY, 0o600)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			_ = dir.Remove(e.Name()) // killed before it locked; if it is just being made, newStage tries again
		case err == nil:
			if err := errors.Join(dir.RemoveAll(e.Name()), lock.Close()); err != nil {
				return fmt.Errorf("remove the left-over %s: %w", e.Name(), unwrapPath(err))
			}
		}
	}
	return nil
}
