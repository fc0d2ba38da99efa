// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// A kind has one plural, one alias and one group in Go, in everything that is generated for it.
func TestNamesAgree(t *testing.T) {
	for _, test := range []struct{ group, kind, plural, goPlural, folder, groupGo string }{
		{"stable.example.com", "Endpoints", "endpoints", "Endpoints", "stable", "Stable"},
		{"stable.example.com", "Datum", "data", "Data", "stable", "Stable"},
		{"stable.example.com", "IPPool", "ippools", "IPPools", "stable", "Stable"},
		{"foo-bar.example.com", "Mouse", "mice", "Mice", "foobar", "FooBar"},
		{"type.example.com", "Box", "boxes", "Boxes", "grouptype", "Type"},
	} {
		t.Run(test.kind, func(t *testing.T) {
			a, err := NewAPI(APIOptions{Group: test.group, Version: "v1beta1", Kind: test.kind})
			require.NoError(t, err)
			files := generated(t, a)
			lower := strings.ToLower(test.kind)
			crdFile := fmt.Sprintf("config/crd/%s_%s.yaml", test.group, test.plural)
			var crd apiextv1.CustomResourceDefinition
			if err := yaml.UnmarshalStrict([]byte(files[crdFile]), &crd); err != nil || files[crdFile] == "" {
				t.Fatalf("%s: %v", crdFile, err)
			}
			names := crd.Spec.Names
			if got, want := fmt.Sprint(crd.Name, names.Plural, names.Singular, names.Kind, names.ListKind), fmt.Sprint(test.plural+"."+test.group, test.plural, lower, test.kind, test.kind+"List"); got != want {
				t.Errorf("the CRD has the names %s, want %s", got, want)
			}
			alias, version := test.folder+"v1beta1", test.folder+"/v1beta1/"
			for file, wants := range map[string][]string{
				"pkg/client/clientset/versioned/typed/" + version + lower + ".go": {
					fmt.Sprintf("type %sGetter interface {\n\t%s(namespace string) %sInterface\n}", test.goPlural, test.goPlural, test.kind), fmt.Sprintf("%q,", test.plural),
				},
				"pkg/client/clientset/versioned/clientset.go":                       {fmt.Sprintf("%sV1beta1() %sv1beta1.%sV1beta1Interface", test.groupGo, strings.ToLower(test.groupGo), test.groupGo)},
				"pkg/client/listers/" + version + lower + ".go":                     {fmt.Sprintf("type %sLister interface {", test.kind), fmt.Sprintf("%s.Resource(%q)", alias, lower)},
				"pkg/client/informers/externalversions/" + version + "interface.go": {fmt.Sprintf("%s() Typed%sInformer", test.goPlural, test.kind)},
				"pkg/client/informers/externalversions/generic.go": {
					fmt.Sprintf("SchemeGroupVersion.WithResource(%q):", test.plural), fmt.Sprintf("%s().V1beta1().%s().Informer()", test.groupGo, test.goPlural),
				},
				"pkg/client/applyconfiguration/" + version + lower + ".go":   {fmt.Sprintf("func %s(name, namespace string)", test.kind)},
				"internal/controller/" + lower + ".go":                       {fmt.Sprintf("%s %q", alias, "example.com/x/pkg/apis/"+test.folder+"/v1beta1")},
				"config/rbac/role.yaml":                                      {"- apiGroups:\n  - " + test.group + "\n  resources:\n  - " + test.plural + "\n  verbs:\n"},
				"zz_generated.wiring.go":                                     {fmt.Sprintf("controller.New%sController(ctx, env)", test.kind)},
				"config/samples/" + lower + ".yaml":                          {"apiVersion: " + test.group + "/v1beta1\nkind: " + test.kind + "\n", "name: " + lower + "-demo"},
				"pkg/apis/" + version + "types.go":                           {"+resourceName=" + test.plural, "path=" + test.plural + ",singular=" + lower},
				"pkg/client/clientset/versioned/fake/clientset_generated.go": {fmt.Sprintf("%sV1beta1()", test.groupGo)},
			} {
				for _, want := range wants {
					assert.Contains(t, files[file], want, "%s has no", file)
				}
			}
		})
	}
}

// generated is all that a scaffold and its generators write.
func generated(t *testing.T, a *API) map[string]string {
	t.Helper()
	p := &Project{Module: "example.com/x", Folder: ".", Main: ".", ClientDir: "pkg/client", APIs: []*API{a}}
	files, err := p.Files(templates.FS)
	require.NoError(t, err)
	dir := t.TempDir()
	gentest.Write(t, dir, files)
	result, err := gen.Generate(t.Context(), dir, gentest.Settings(t, dir), gen.Options{Year: 2026})
	require.NoError(t, err)
	all := map[string]string{}
	for _, made := range []*tree.Tree{files, result.Tree} {
		for _, name := range made.Paths() {
			data, _ := made.Content(name)
			all[name] = string(data)
		}
	}
	return all
}
