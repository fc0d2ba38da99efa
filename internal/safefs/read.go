// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// MaxFile bounds what is read of one source, module file, manifest or generated file. The largest ones that people have are a
// few MiB.
const MaxFile = 64 << 20

// ReadFile is os.ReadFile for the files of a project and of the directories above it, which anyone may have put there. It follows
// links; what they lead to must be a regular file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if f, err = regular(f, path, err); err != nil {
		return nil, err
	}
	return readAll(f, path, limit)
}

// ReadNamed is ReadFile of what a user names on the command line, which may be a pipe or a device too: as in "-f <(kustomize build)".
func ReadNamed(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return readAll(f, path, limit)
}

// ReadFileIn is ReadFile of a file in a directory, for links that stay in it.
func ReadFileIn(dir *os.Root, name string, limit int64) ([]byte, error) {
	f, err := OpenIn(dir, name)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, limit)
}

// OpenIn opens what ReadFileIn reads.
func OpenIn(dir *os.Root, name string) (*os.File, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	return regular(f, name, err)
}

// regular refuses a FIFO, which os.ReadFile would wait for, and a device, which may have no end. The null device is accepted: it is
// a usual way to name an empty file.
func regular(f *os.File, path string, err error) (*os.File, error) {
	if errors.Is(err, syscall.ENXIO) { // a socket
		return nil, special(path)
	} else if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular() && !isNull(info):
		err = special(path)
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return f, nil
}

func readAll(f *os.File, path string, limit int64) ([]byte, error) {
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size > limit {
		return nil, tooBig(path, limit)
	}
	content := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	if _, err := content.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(content.Len()) > limit { // it grew
		return nil, tooBig(path, limit)
	}
	return content.Bytes(), nil
}

func isNull(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func special(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w; remove it, or replace it with a regular file", ErrSpecial)}
}

func tooBig(path string, limit int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: more than %d bytes", ErrTooBig, limit)}
}
