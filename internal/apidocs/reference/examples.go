// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/samples"
	"github.com/crdctl/crdctl/internal/crd/sample"
	"github.com/crdctl/crdctl/internal/crd/write"
)

// Example is an object that the API server takes.
type Example struct {
	Text string // YAML
	File string // that has it, relative to the root; empty for one that was made from the schema
}

// maxExample is the number of lines from which on an example is too long to be one, if there is a shorter one.
const maxExample = 60

// examples are samples of the project, the best of each kind and version.
type examples map[schema.GroupVersionKind]samples.Sample

func findExamples(ctx context.Context, p *project.Project) (examples, error) {
	all, err := samples.Valid(ctx, p)
	if err != nil {
		return nil, err
	}
	found := examples{}
	slices.SortStableFunc(all, func(a, b samples.Sample) int {
		return cmp.Or(distance(a)-distance(b), fields(b.Text)-fields(a.Text))
	})
	for _, s := range all {
		if _, known := found[s.GroupVersionKind]; !known {
			found[s.GroupVersionKind] = s
		}
	}
	return found, nil
}

// distance is the larger the less a sample looks like one that is made for users to read.
func distance(s samples.Sample) (n int) {
	if !strings.Contains(s.File, "sample") && !strings.Contains(s.File, "example") {
		n++
	}
	if strings.Count(s.Text, "\n") > maxExample {
		n += 2
	}
	return n
}

// fields are how many fields an object sets, at all depths: the more, the more an example shows.
func fields(text string) int {
	var object any
	if yaml.Unmarshal([]byte(text), &object) != nil {
		return 0
	}
	return count(object)
}

func count(value any) (n int) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			n += 1 + count(v)
		}
	case []any:
		for _, v := range value {
			n += count(v)
		}
	}
	return n
}

// of is an example of a version: one of the project's, or else the least that the schema asks for; nil if there is none.
func (e examples) of(ctx context.Context, crd *project.CRD, version string) (*Example, error) {
	gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}
	if s, ok := e[gvk]; ok {
		return &Example{s.Text, s.File}, nil
	}
	v := crd.Version(version)
	if !v.Served || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil, nil
	}
	object, _ := sample.Of(v.Schema.OpenAPIV3Schema, false).(map[string]any)
	if object == nil {
		return nil, nil
	}
	delete(object, "status")
	object["apiVersion"], object["kind"] = gvk.GroupVersion().String(), gvk.Kind
	object["metadata"] = map[string]any{"name": "example"}
	if spec, ok := v.Schema.OpenAPIV3Schema.Properties["spec"]; ok {
		object["spec"] = sample.Of(&spec, false)
	}
	if !valid(ctx, crd, version, object) {
		return nil, nil
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("write an example of %s: %w", crd.Name, err)
	}
	return &Example{Text: string(text)}, nil
}

// valid reports whether the API server takes an object as it is.
func valid(ctx context.Context, crd *project.CRD, version string, object map[string]any) bool {
	defaulted := crd.DeepCopy()
	apiextv1.SetObjectDefaults_CustomResourceDefinition(defaulted)
	i := slices.IndexFunc(defaulted.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	compiled, err := write.Compile(defaulted, &defaulted.Spec.Versions[i])
	if err != nil {
		return false // "crdctl check" has the reason
	}
	object = runtime.DeepCopyJSON(object)
	if defaulted.Spec.Scope == apiextv1.NamespaceScoped {
		object["metadata"].(map[string]any)["namespace"] = "default"
	}
	lost, err := compiled.Decode(object)
	if err != nil || len(lost) > 0 {
		return false
	}
	values, rules := compiled.Create(ctx, object)
	return len(values)+len(rules) == 0
}
