// SPDX-License-Identifier: Apache-2.0

// Package manifest reads objects from manifests: YAML or JSON, several documents, files or directories.
//
// It checks what can be told without a server, strictly; the rest is the API server's to say.
package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// file is a manifest.
type file struct {
	name string // what errors call it
	data []byte
	// lenient takes the last of two values of a key, as Helm and kubectl do.
	lenient bool
}

// filesOf returns the file at path or, as "kubectl apply -f" does, the manifests that lie directly in that directory. Errors
// about their content call files as they are seen from root, which may be empty.
func filesOf(root, path string) ([]file, error) {
	info, err := os.Stat(filepath.Join(root, path))
	if err != nil {
		return nil, err
	}
	paths := []string{path}
	if info.IsDir() {
		if paths, err = FilesIn(root, path); err != nil {
			return nil, err
		}
	}
	read := safefs.ReadFile
	if root == "" && !info.IsDir() {
		read = safefs.ReadNamed
	}
	var files []file
	for _, p := range paths {
		data, err := read(filepath.Join(root, p), safefs.MaxFile)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: p, data: data})
	}
	return files, nil
}

// FilesIn are the manifests in a directory below root.
func FilesIn(root, dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, dir))
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// eachDocument calls do for the documents of all files, and returns all errors.
func eachDocument(files []file, do func(f file, doc yamldoc.Document) error) error {
	var problems []error
	for _, f := range files {
		docs, err := yamldoc.Split(f.data)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", f.name, err))
			continue
		}
		for _, doc := range docs {
			problems = append(problems, do(f, doc))
		}
	}
	return errors.Join(problems...)
}

// decode returns a document as JSON; the error has a place.
func (f file) decode(doc yamldoc.Document) ([]byte, error) {
	convert := yaml.YAMLToJSONStrict
	if f.lenient {
		convert = yaml.YAMLToJSON
	}
	asJSON, err := convert(doc.Text)
	if err != nil {
		return nil, doc.Error(f.name, err)
	}
	return asJSON, nil
}
