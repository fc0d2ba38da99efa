// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/text/yamldoc"
)

// CRD is a CustomResourceDefinition as a manifest has it, and where that is.
type CRD struct {
	*apiextv1.CustomResourceDefinition
	File string
	Line int
}

// Place is where the CRD is, as file:line.
func (c CRD) Place() string { return fmt.Sprintf("%s:%d", c.File, c.Line) }

// Definitions are the CRDs without their places.
func Definitions(crds []CRD) []*apiextv1.CustomResourceDefinition {
	var all []*apiextv1.CustomResourceDefinition
	for _, c := range crds {
		all = append(all, c.CustomResourceDefinition)
	}
	return all
}

// CRDsIn reads the CRDs of all manifests in a directory below root; their places are seen from there. Other objects are
// skipped. A directory that does not exist has none.
func CRDsIn(root, dir string) ([]CRD, error) {
	files, err := filesOf(root, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseCRDs(files...)
}

// CRDs reads the CRDs of a manifest, or of those in a directory. One without any is an error.
func CRDs(path string) ([]CRD, error) {
	files, err := filesOf("", path)
	if err != nil {
		return nil, err
	}
	crds, err := parseCRDs(files...)
	if err == nil && len(crds) == 0 {
		err = fmt.Errorf("%s: no CustomResourceDefinition found; name the file with the CRD", path)
	}
	return crds, err
}

// nameless is the file that controller-gen writes for types without a group: a CRD of no kind, which nothing installs.
const nameless = "_.yaml"

// parseCRDs returns none for files without CRDs.
func parseCRDs(files ...file) ([]CRD, error) {
	var all []CRD
	err := eachDocument(files, func(f file, doc yamldoc.Document) error {
		var head metav1.TypeMeta
		if err := yaml.Unmarshal(doc.Text, &head); err != nil {
			return doc.Error(f.name, err)
		}
		if head.Kind != "CustomResourceDefinition" {
			return nil
		}
		asJSON, err := f.decode(doc)
		if err != nil {
			return err
		}
		if filepath.Base(f.name) == nameless && isOfNoKind(asJSON) {
			return nil
		}
		crd, err := decodeCRD(head.APIVersion, asJSON)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.name, doc.Line, err)
		}
		all = append(all, CRD{CustomResourceDefinition: crd, File: f.name, Line: doc.Line})
		return nil
	})
	return all, err
}

func isOfNoKind(asJSON []byte) bool {
	var crd struct {
		Spec struct {
			Names struct{ Kind string }
		}
	}
	return json.Unmarshal(asJSON, &crd) == nil && crd.Spec.Names.Kind == ""
}

func decodeCRD(version string, asJSON []byte) (*apiextv1.CustomResourceDefinition, error) {
	crd := &apiextv1.CustomResourceDefinition{}
	if v1 := apiextv1.SchemeGroupVersion.String(); version != v1 {
		return nil, fmt.Errorf("a CustomResourceDefinition of %s; API servers since 1.22 take %s only; \"crdctl init --from-crd FILE\" converts it", version, v1)
	}
	strict, err := kjson.UnmarshalStrict(asJSON, crd)
	if err == nil { // what is missing comes first: it may be an unknown field elsewhere
		err = errors.Join(append([]error{Complete(crd, asJSON)}, strict...)...)
	}
	if err != nil {
		return nil, fmt.Errorf("CustomResourceDefinition %s: %s", crd.Name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return crd, nil
}
