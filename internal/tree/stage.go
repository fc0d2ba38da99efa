package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"

	"github.com/crdctl/crdctl/internal/scratch"
)

// stagePrefix begins the name of a staging folder. It lies in the root itself, to be on one file system with most
// of what is renamed out of it, and starts with a dot, so that the go command does not see it.
const stagePrefix = ".crdctl-stage-"

// stage is a folder for content on its way, there and back.
type stage struct {
	disk disk
	name string // below the root
	n    int
}

// newStage makes the folder. Its files are taken away by removing the scratch folder.
func newStage(root string, d disk) (*stage, *scratch.Dir, error) {
	s, err := scratch.New(root, stagePrefix)
	if err != nil {
		return nil, nil, fmt.Errorf("stage the new content: %w; nothing was changed; %s", err, mend(err))
	}
	return &stage{disk: d, name: filepath.Base(s.Path)}, s, nil
}

// next is the name of a file in the stage that there is not yet.
func (s *stage) next() string {
	s.n++
	return path.Join(s.name, strconv.Itoa(s.n))
}

// put writes content that is meant for a path, and returns where it lies. It is not flushed to the platter: that would
// cost more than all else that writing does, and what a power failure leaves is made anew by the next run, since files
// are compared by their bytes.
func (s *stage) put(meantFor string, data []byte, mode fs.FileMode) (string, error) {
	name := s.next()
	// A new file gets its mode less the umask, as any program's; one that is there keeps what its owner set.
	f, err := s.disk.Create(name, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if info, statErr := s.disk.Stat(meantFor); statErr == nil && err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	return name, errors.Join(err, f.Close())
}
