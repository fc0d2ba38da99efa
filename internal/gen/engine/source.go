package engine

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	if err != nil {
		panic(err) // what is embedded can be read
	}
	return files
}

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
