package tree

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/scratch"
)

// stagePrefix begins the name of a staging folder. It lies in the root itself, to be on one file system with most
// of what is renamed out of it, and starts with a dot, so that the go command does not see it.
const stagePrefix = ".crdctl-stage-"

// stage is a folder for content on its way.
type stage struct {
	dir     *os.Root
	scratch *scratch.Dir
}

func newStage(dir *os.Root) (*stage, error) {
	s, err := scratch.New(dir.Name(), stagePrefix)
	if err != nil {
		return nil, fmt.Errorf("stage the new content: %w; nothing was changed", err)
	}
	return &stage{dir: dir, scratch: s}, nil
}

// put writes a file and returns where it lies.
func (s *stage) put(i int, c Change) (string, error) {
	name := path.Join(filepath.Base(s.scratch.Path), fmt.Sprint(i))
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
