// Package manifest reads objects from manifests: YAML or JSON, several documents, files or folders.
//
// It checks what can be told without a server, strictly; the rest is the API server's to say.
package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// file is a manifest.
type file struct {
	name string // what errors call it
	data []byte
}

// document is one object's text in a file, and the line where it begins.
type document struct {
	text []byte
	line int
}

// filesOf returns the file at path or, as "kubectl apply -f" does, the manifests that lie directly in that folder.
func filesOf(path string) ([]file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	paths := []string{path}
	if info.IsDir() {
		if paths, err = manifestsIn(path); err != nil {
			return nil, err
		}
	}
	var files []file
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: p, data: data})
	}
	return files, nil
}

func manifestsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

func (f file) documents() ([]document, error) {
	var all []document
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(f.data)))
	for line := 1; ; {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", f.name, line, err)
		}
		all = append(all, document{text: doc, line: line + leadingBlank(doc)})
		line += bytes.Count(doc, []byte("\n")) + 1 // and the separator
	}
}

func leadingBlank(doc []byte) int {
	return bytes.Count(doc[:len(doc)-len(bytes.TrimLeft(doc, "\n\r\t "))], []byte("\n"))
}

// plain is a decoder's error without what the user did not ask for.
func plain(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "))
}
