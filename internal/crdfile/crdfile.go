// Package crdfile reads CustomResourceDefinitions from manifests: YAML or JSON, several documents, files or folders.
//
// It checks what can be told without a server, strictly; the rest is the API server's to say.
package crdfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// ReadDir reads the CRDs of all manifests in a folder. Other objects are passed over. A folder that does not exist
// has none.
func ReadDir(dir string) ([]*apiextv1.CustomResourceDefinition, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*apiextv1.CustomResourceDefinition
	var problems []error
	for _, e := range entries {
		if e.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			continue
		}
		crds, err := readFile(filepath.Join(dir, e.Name()))
		problems = append(problems, err)
		all = append(all, crds...)
	}
	return all, errors.Join(problems...)
}

// ReadFile reads the CRDs of a manifest, or of those in a folder. One without any is an error.
func ReadFile(path string) ([]*apiextv1.CustomResourceDefinition, error) {
	read := readFile
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		read = ReadDir
	}
	crds, err := read(path)
	if err == nil && len(crds) == 0 {
		err = fmt.Errorf("%s: no CustomResourceDefinition in it", path)
	}
	return crds, err
}

func readFile(path string) ([]*apiextv1.CustomResourceDefinition, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse is ReadFile for content; name is what errors call it. Content without a CRD gives none.
func Parse(name string, data []byte) ([]*apiextv1.CustomResourceDefinition, error) {
	var all []*apiextv1.CustomResourceDefinition
	var problems []error
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	line := 1
	for {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return all, errors.Join(problems...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		crd, err := parseDocument(doc)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line+leadingBlank(doc), err))
		} else if crd != nil {
			all = append(all, crd)
		}
		line += bytes.Count(doc, []byte("\n")) + 1 // and the separator
	}
}

func leadingBlank(doc []byte) int {
	return bytes.Count(doc[:len(doc)-len(bytes.TrimLeft(doc, "\n\r\t "))], []byte("\n"))
}

// parseDocument returns nil for a document that is no CRD.
func parseDocument(doc []byte) (*apiextv1.CustomResourceDefinition, error) {
	var head metav1.TypeMeta
	if err := yaml.Unmarshal(doc, &head); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "))
	}
	if head.Kind != "CustomResourceDefinition" {
		return nil, nil
	}
	if head.APIVersion != apiextv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("a CustomResourceDefinition of %s; API servers since 1.22 take %s only, rewrite it in that form",
			head.APIVersion, apiextv1.SchemeGroupVersion)
	}
	asJSON, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return nil, err
	}
	crd := &apiextv1.CustomResourceDefinition{}
	strict, err := kjson.UnmarshalStrict(asJSON, crd)
	if err := errors.Join(append(strict, err)...); err != nil {
		return nil, fmt.Errorf("CustomResourceDefinition %s: %s", crd.Name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	var missing []string
	for field, value := range map[string]string{
		"metadata.name": crd.Name, "spec.group": crd.Spec.Group, "spec.names.kind": crd.Spec.Names.Kind,
		"spec.names.plural": crd.Spec.Names.Plural, "spec.scope": string(crd.Spec.Scope),
	} {
		if value == "" {
			missing = append(missing, field)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("CustomResourceDefinition %s: missing %s; look at the indentation", crd.Name, strings.Join(missing, ", "))
	}
	return crd, nil
}
