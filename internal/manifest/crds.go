package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
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

// CRDsIn reads the CRDs of all manifests in a folder. Other objects are passed over. A folder that does not exist
// has none.
func CRDsIn(dir string) ([]CRD, error) {
	files, err := filesOf(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return crdsOf(files)
}

// CRDs reads the CRDs of a manifest, or of those in a folder. One without any is an error.
func CRDs(path string) ([]CRD, error) {
	files, err := filesOf(path)
	if err != nil {
		return nil, err
	}
	crds, err := crdsOf(files)
	if err == nil && len(crds) == 0 {
		err = fmt.Errorf("%s: no CustomResourceDefinition in it", path)
	}
	return crds, err
}

func crdsOf(files []file) ([]CRD, error) {
	var all []CRD
	var problems []error
	for _, f := range files {
		crds, err := parseCRDs(f)
		problems = append(problems, err)
		all = append(all, crds...)
	}
	return all, errors.Join(problems...)
}

// parseCRDs returns none for a file without CRDs.
func parseCRDs(f file) ([]CRD, error) {
	docs, err := f.documents()
	if err != nil {
		return nil, err
	}
	var all []CRD
	var problems []error
	for _, doc := range docs {
		crd, err := parseCRD(doc.text)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", f.name, doc.line, err))
		} else if crd != nil {
			all = append(all, CRD{CustomResourceDefinition: crd, File: f.name, Line: doc.line})
		}
	}
	return all, errors.Join(problems...)
}

// parseCRD returns nil for a document that is no CRD.
func parseCRD(doc []byte) (*apiextv1.CustomResourceDefinition, error) {
	var head metav1.TypeMeta
	if err := yaml.Unmarshal(doc, &head); err != nil {
		return nil, plain(err)
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
