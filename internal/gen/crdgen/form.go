package crdgen

import (
	"bytes"

	k8syaml "sigs.k8s.io/yaml"
)

// InForm reports whether a manifest of one document has the form in which controller-gen writes it: after a line of dashes,
// the YAML that its writer makes of the same values. A file that a script changed afterwards seldom has.
func InForm(manifest []byte) bool {
	rest, ok := bytes.CutPrefix(manifest, []byte("---\n"))
	if !ok {
		return false
	}
	values, err := k8syaml.YAMLToJSON(rest)
	if err != nil {
		return false
	}
	again, err := k8syaml.JSONToYAML(values)
	return err == nil && bytes.Equal(again, rest)
}
