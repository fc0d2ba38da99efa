package crdform

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"
)

// WebhookFile is the file that configurations of webhooks are written to.
const WebhookFile = "manifests.yaml"

// defaultConfigurations are the names of the configurations that controller-gen writes where no marker gives another.
var defaultConfigurations = []string{"mutating-webhook-configuration", "validating-webhook-configuration"}

// OnlyWebhooks reports whether a file has nothing but configurations of webhooks. A file that is empty is what a crash left of one.
func OnlyWebhooks(manifest []byte) bool {
	names, err := configurations(manifest)
	return err == nil && (len(names) > 0 || len(manifest) == 0)
}

// LeftWebhooks reports whether a file has nothing but configurations under the names that controller-gen gives them, each as its
// writer puts it: what is left of markers that went.
func LeftWebhooks(manifest []byte) bool {
	names, err := configurations(manifest)
	if err != nil || slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(defaultConfigurations, name) }) {
		return false
	}
	for doc := range bytes.SplitSeq(manifest, []byte("---\n")) {
		if len(doc) > 0 && !InForm(slices.Concat([]byte("---\n"), doc)) {
			return false
		}
	}
	return true
}

// configurations are the names of the configurations in a file that has nothing else.
func configurations(manifest []byte) (names []string, err error) {
	for dec := yaml.NewDecoder(bytes.NewReader(manifest)); ; {
		var doc struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		if doc.Kind != "MutatingWebhookConfiguration" && doc.Kind != "ValidatingWebhookConfiguration" {
			return nil, errors.New("it has a " + doc.Kind)
		}
		names = append(names, doc.Metadata.Name)
	}
}

// OwnsCRD reports whether a file is a CRD that controller-gen of a version wrote and that is one of the groups: it bears that very
// version, has the name that the generator gives it, and is in the form of its writer. Other people's CRDs of the same group, which
// are kept next to one's own, bear the version of their own makers.
func OwnsCRD(name string, manifest []byte, version string, groups []string) bool {
	var head struct {
		Metadata struct{ Annotations map[string]string } `json:"metadata"`
	}
	return len(manifest) > 0 && Owns(name, manifest, groups) && k8syaml.Unmarshal(manifest, &head) == nil &&
		version != "" && head.Metadata.Annotations[Annotation] == version && InForm(manifest)
}

// IsCRD reports whether a file has the CRD, generated or not, for which controller-gen uses the file's name.
func IsCRD(name string, manifest []byte) bool {
	var crd struct {
		Kind string `json:"kind"`
		Spec struct {
			Group string `json:"group"`
			Names struct {
				Plural string `json:"plural"`
			} `json:"names"`
		} `json:"spec"`
	}
	return k8syaml.Unmarshal(manifest, &crd) == nil && crd.Kind == "CustomResourceDefinition" && name == crd.Spec.Group+"_"+crd.Spec.Names.Plural+".yaml"
}
