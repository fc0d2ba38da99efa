// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// Object is an object as a manifest has it, and where that is.
type Object struct {
	*unstructured.Unstructured
	File string
	Line int
	// Built reports that a kustomization or a chart made the object.
	Built bool
}

// Place is where the object is, as file:line.
func (o Object) Place() string { return fmt.Sprintf("%s:%d", o.File, o.Line) }

// CRD is the object as a CustomResourceDefinition, strictly decoded.
func (o Object) CRD() (CRD, error) {
	asJSON, err := o.MarshalJSON()
	if err != nil {
		return CRD{}, err
	}
	crd, err := decodeCRD(o.GetAPIVersion(), asJSON)
	if err != nil {
		return CRD{}, fmt.Errorf("%s: %w", o.Place(), err)
	}
	return CRD{CustomResourceDefinition: crd, File: o.File, Line: o.Line}, nil
}

// IsCRD reports whether the object is a CustomResourceDefinition.
func (o Object) IsCRD() bool { return o.GetKind() == "CustomResourceDefinition" }

// CRDsAmong decodes the CRDs that are among the objects.
func CRDsAmong(objects []Object) (crds []CRD, err error) {
	var problems []error
	for _, o := range objects {
		if !o.IsCRD() {
			continue
		}
		crd, err := o.CRD()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		crds = append(crds, crd)
	}
	return crds, errors.Join(problems...)
}

// kustomize's own files are no objects of a cluster.
var kustomize = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// Kustomization returns the kustomization file of a directory; "" where it has none, as for anything that is not a directory.
func Kustomization(dir string) string {
	for _, name := range kustomize {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// Objects reads all objects of a manifest below root, or of those in a directory; the items of lists are objects of their own.
// Anything but an object is an error. Their places are seen from root.
func Objects(root, path string) ([]Object, error) {
	files, err := filesOf(root, path)
	if err != nil {
		return nil, err
	}
	return objectsIn(slices.DeleteFunc(files, func(f file) bool { return slices.Contains(kustomize, filepath.Base(f.name)) })...)
}

// Rendered reads the objects of what a template made. The name is that of the template.
func Rendered(name string, data []byte) ([]Object, error) {
	return objectsIn(file{name: name, data: data, lenient: true})
}

func objectsIn(files ...file) ([]Object, error) {
	var all []Object
	err := eachDocument(files, func(f file, doc yamldoc.Document) error {
		asJSON, err := f.decode(doc)
		if err != nil {
			return err
		}
		objects, err := parseObjects(asJSON)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.name, doc.Line, err)
		}
		for _, o := range objects {
			all = append(all, Object{Unstructured: o, File: f.name, Line: doc.Line})
		}
		return nil
	})
	return all, err
}

// parseObjects returns none for a document without content.
func parseObjects(asJSON []byte) ([]*unstructured.Unstructured, error) {
	if string(asJSON) == "null" || string(asJSON) == "{}" {
		return nil, nil
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(asJSON); err != nil {
		return nil, fmt.Errorf("not a Kubernetes object: %w", err)
	}
	if o.GetAPIVersion() == "" {
		return nil, errors.New("an object without apiVersion; add it")
	}
	if !o.IsList() {
		if o.GetName() == "" && o.GetGenerateName() == "" {
			return nil, fmt.Errorf("a %s without metadata.name; add it", o.GetKind())
		}
		return []*unstructured.Unstructured{o}, nil
	}
	var items []*unstructured.Unstructured
	err := o.EachListItem(func(item runtime.Object) error {
		items = append(items, item.(*unstructured.Unstructured))
		return nil
	})
	return items, err
}
