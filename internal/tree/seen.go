// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Seen remembers what a command read of the files that it is about to change, when it first read them: what it plans is
// made of that, and not of what is there when it compares.
type Seen struct {
	mu    sync.Mutex
	files map[string][]byte // by their full paths; nil for one that did not exist
}

// ReadFile is [os.ReadFile] that remembers. A file that was read before is not read again.
func (s *Seen) ReadFile(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data, ok := s.files[name]; ok {
		if data == nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return bytes.Clone(data), nil
	}
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	data, err := safefs.ReadFile(name, safefs.MaxFile)
	defer hook("read")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.files[name] = nil
	case err == nil:
		s.files[name] = append([]byte{}, data...)
	}
	return data, err
}

// FS is the directory root, of which files are read with ReadFile.
func (s *Seen) FS(root string) fs.FS { return seenFS{os.DirFS(root), s, root} }

type seenFS struct {
	fs.FS
	seen *Seen
	root string
}

// ReadFile implements [fs.ReadFileFS].
func (f seenFS) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return f.seen.ReadFile(filepath.Join(f.root, filepath.FromSlash(name)))
}

// Check holds changes in root to what was read: a file that changed in between is an error.
func (s *Seen) Check(root string, changes []Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		was, ok := s.files[filepath.Join(root, filepath.FromSlash(c.Path))]
		if ok && ((was == nil) != (c.Op == Create) || !bytes.Equal(was, c.Old)) {
			err := &changedError{c.Path}
			return &notWritten{err}
		}
	}
	return nil
}

// notWritten is an error before anything was written.
type notWritten struct{ error }

func (e *notWritten) Error() string {
	return e.error.Error() + "; nothing was written; " + remedy(e.error)
}
func (e *notWritten) Unwrap() error { return e.error }
