// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tempdir"
)

// ErrNoGo is the error where the go command is needed and there is none.
var ErrNoGo = errors.New("the go command is not in PATH; install Go (https://go.dev/dl) or add its bin directory to PATH")

// Ignored reports whether go commands in dir must ignore any go.work: dir is in a temporary directory of crdctl's that has none, and
// those further up may be any user's, since all can write to the system's temporary directory.
func Ignored(dir string) bool {
	own := tempdir.RunOf(dir)
	if own == "" || os.Getenv("GOWORK") != "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(own, "go.work"))
	return err != nil
}

// Check refuses files that the go command would wait for, or read without end, when it looks at the modules of a directory: a
// repository may have a FIFO or a link to a device as its go.sum.
func Check(dir string) error {
	mod, content, err := nearest(dir, "go.mod")
	if err != nil {
		return err
	}
	if mod != "" {
		if err := checkModule(filepath.Dir(mod), content); err != nil {
			return err
		}
	}
	work := os.Getenv("GOWORK")
	switch {
	case work == "off" || Ignored(dir):
		return nil
	case work == "":
		work, content, err = nearest(dir, "go.work")
	default:
		content, err = read(work)
	}
	if err != nil || work == "" {
		return err
	}
	return checkWorkspace(work, content)
}

// checkWorkspace is Check of a go.work and the modules that it names.
func checkWorkspace(work string, content []byte) error {
	at := filepath.Dir(work)
	if err := errors.Join(second(read(work+".sum")), second(read(filepath.Join(at, "vendor", "modules.txt")))); err != nil {
		return err
	}
	parsed, err := modfile.ParseWork(work, content, nil)
	if err != nil {
		return nil //nolint:nilerr // the go command says what is wrong
	}
	for _, use := range parsed.Use {
		used := below(at, use.Path)
		content, err := read(filepath.Join(used, "go.mod"))
		if err == nil {
			err = checkModule(used, content)
		}
		if err != nil {
			return err
		}
	}
	return checkReplaced(at, parsed.Replace)
}

// checkModule is Check of one module, whose go.mod was read.
func checkModule(dir string, gomod []byte) error {
	if err := errors.Join(second(read(filepath.Join(dir, "go.sum"))), second(read(filepath.Join(dir, "vendor", "modules.txt")))); err != nil {
		return err
	}
	parsed, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		return nil //nolint:nilerr // the go command says what is wrong
	}
	return checkReplaced(dir, parsed.Replace)
}

func checkReplaced(dir string, all []*modfile.Replace) error {
	for _, r := range all {
		if r.New.Version != "" {
			continue
		}
		if _, err := read(filepath.Join(below(dir, r.New.Path), "go.mod")); err != nil {
			return err
		}
	}
	return nil
}

// nearest reads the file of a name in dir or in the closest directory above it. Without one, the path is "".
func nearest(dir, name string) (path string, content []byte, err error) {
	if dir = Above(dir, name); dir == "" {
		return "", nil, nil
	}
	path = filepath.Join(dir, name)
	content, err = read(path)
	return path, content, err
}

// read returns the content of a file, or nil for one that the go command can judge, such as one that does not exist.
func read(path string) ([]byte, error) {
	content, err := safefs.ReadFile(path, safefs.MaxFile)
	if errors.Is(err, safefs.ErrSpecial) || errors.Is(err, safefs.ErrTooBig) {
		return nil, err
	}
	return content, nil
}

func below(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func second[T any](_ T, err error) error { return err }
