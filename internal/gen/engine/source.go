package engine

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// program is the source of an engine. Its files have the ending .tmpl so that they are no part of this module.
//
//go:embed program wire/wire.go
var program embed.FS

// programModule is the module that an engine is built as.
const programModule = "crdctl.dev/engine"

// source is a file of the program, by its path below the program's module.
type source struct {
	path    string
	content []byte
}

// programFiles are crdctl's own, in the order of their paths.
func programFiles() []source {
	var files []source
	err := fs.WalkDir(program, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := program.ReadFile(name)
		files = append(files, source{strings.TrimSuffix(strings.TrimPrefix(name, "program/"), ".tmpl"), content})
		return err
	})
	loader, readErr := load.Code.ReadDir(".")
	for _, d := range loader {
		if strings.HasSuffix(d.Name(), "_test.go") || d.Name() == "source.go" { // which would embed what is not there
			continue
		}
		content, err := load.Code.ReadFile(d.Name())
		readErr = errors.Join(readErr, err)
		files = append(files, source{"load/" + d.Name(), upgraded(content)})
	}
	if err := errors.Join(err, readErr); err != nil {
		panic(err) // what is embedded can be read
	}
	return files
}

// upgraded lets a file of crdctl's be of crdctl's version of the language, whatever go.mod of the engine says.
func upgraded(content []byte) []byte { return append([]byte("//go:build go1.26\n\n"), content...) }

// write writes the program's files into a folder.
func write(dir string, files []source) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
