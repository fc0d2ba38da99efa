package tree

import (
	"io"
	"io/fs"
	"os"
)

// disk is what writing does to a folder, one operation a method: tests give one that fails, or ends the process, at any
// of them.
type disk interface {
	Create(name string, mode fs.FileMode) (file, error)
	Stat(name string) (fs.FileInfo, error)
	Mkdir(name string, mode fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
}

// file is a file that is being written.
type file interface {
	io.WriteCloser
	Chmod(mode fs.FileMode) error
}

// rootDisk is the real one.
type rootDisk struct{ *os.Root }

// Create makes a file that is not there yet.
func (d rootDisk) Create(name string, mode fs.FileMode) (file, error) {
	return d.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
}
