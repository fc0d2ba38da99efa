// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/corpus/roundtrip"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/text/goname"
	"github.com/crdctl/crdctl/internal/tree"
)

// TestProject makes a project of imported types: all generators take them, no tag in them is a mistake, and what they and
// the generated clients are is Go that compiles. A program in it reads objects into types and writes them again: nothing is
// there that was not, and nothing is lost, zero values and empty lists least of all.
func TestProject(t *testing.T) {
	dir := t.TempDir()
	files := tree.New()
	put := func(name, text string) {
		t.Helper()
		if _, ok := files.Content(name); !ok {
			require.NoError(t, files.Add(name, []byte(text)))
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		put(name, string(bytes.Replace(data, []byte("module github.com/crdctl/crdctl\n"), []byte("module example.com/imported\n"), 1)))
	}
	put("hack/boilerplate.go.txt", "")
	put(config.FileName, `{apiVersion: crdctl.dev/v1alpha1, kind: Project, boilerplate: hack/boilerplate.go.txt, apis: [pkg/apis], crds: {dir: config/crd},
		clients: [{dir: pkg/client, watch: true, applyConfiguration: true}]}`)
	put("use/main.go", use)
	definitions := golden(t)
	for _, source := range roundtrip.Sources {
		if slices.Contains([]string{"cert-manager", "karpenter"}, source.Name) {
			definitions = append(definitions, imported(t, source)...)
		}
	}
	for _, d := range definitions {
		for _, v := range d.Versions {
			group := strings.NewReplacer(".", "", "-", "").Replace(d.Group)
			pkg := "pkg/apis/" + group + "/" + v.Name
			put(pkg+"/doc.go", fmt.Sprintf("// Package %s is imported.\n//\n// +k8s:deepcopy-gen=package\n// +groupName=%s\n// +groupGoName=%s\npackage %[1]s\n", v.Name, d.Group, goname.Of(d.Group)))
			put(pkg+"/register.go", fmt.Sprintf(register, v.Name, d.Group))
			put(pkg+"/"+strings.ToLower(d.Kind)+"_types.go", string(v.Types))
		}
	}
	gentest.Write(t, dir, files)
	result, err := gen.Generate(t.Context(), dir, gentest.Settings(t, dir), gen.Options{Year: 2026})
	require.NoError(t, err)
	for _, note := range result.Notes {
		t.Error(note)
	}
	gentest.Write(t, dir, result.Tree)
	for _, args := range [][]string{{"build", "-trimpath", "./..."}, {"run", "-trimpath", "./use"}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args[0], err, out)
		}
	}
}

const use = `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	v1 "example.com/imported/pkg/apis/goldenexamplecom/v1"
)

func main() {
	failed := false
	same := func(spec string, into any) {
		if err := json.Unmarshal([]byte(spec), into); err != nil {
			fmt.Println(err)
			failed = true
			return
		}
		out, err := json.Marshal(into)
		var was, is any
		_ = json.Unmarshal([]byte(spec), &was)
		_ = json.Unmarshal(out, &is)
		if err != nil || !reflect.DeepEqual(was, is) {
			fmt.Printf("%s\nbecame %v\n%s\n", spec, err, out)
			failed = true
		}
	}
	same("{\"name\":\"a\",\"mode\":\"On\",\"ratio\":0.5}", &v1.ScalarSpec{})
	same("{\"name\":\"a\",\"mode\":\"\",\"ratio\":0,\"replicas\":0,\"on\":false,\"enabled\":false,\"greeting\":\"\",\"offset\":0,\"any\":0,\"big\":9007199254740993,"+
		"\"when\":\"2026-01-02T03:04:05Z\",\"data\":\"YWJj\",\"port\":0,\"percent\":\"5%\",\"cpu\":\"100m\",\"weights\":[0.5],\"shares\":{\"a\":0.25},\"labels\":{\"a\":\"a\"},"+
		"\"matrix\":[[1],[]],\"ports\":[1,\"a\"],\"modes\":[\"A\"],\"none\":\"\",\"odd\":1,\"fallback\":\"On\",\"counts\":{\"a\":0}}", &v1.ScalarSpec{})
	same("{\"source\":{\"secretRef\":{\"name\":\"\"}}}", &v1.ObjectSpec{})
	same("{\"source\":{\"secretRef\":{\"name\":\"a\"}},\"ports\":[],\"any\":5,\"anys\":[1,\"a\",null,{\"b\":[]}],\"raw\":{\"a\":1},\"few\":{},\"nothing\":{},\"settings\":{},"+
		"\"template\":{\"kind\":\"Pod\"},\"templates\":[{\"kind\":\"Pod\"}],\"maps\":{\"a\":{\"b\":[\"c\"]}}}", &v1.ObjectSpec{})
	same("{\"here\":\"\",\"ports\":{\"a\":1,\"b\":\"c\"},\"whens\":{\"a\":\"2026-01-02T03:04:05Z\"},\"templates\":{\"a\":{\"kind\":\"Pod\"}},\"free\":{\"a\":[{}]}}", &v1.LossSpec{})
	if failed {
		os.Exit(1)
	}
}
`

const register = `package %[1]s

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	SchemeGroupVersion = schema.GroupVersion{Group: %[2]q, Version: %[1]q}
	SchemeBuilder      = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
		metav1.AddToGroupVersion(s, SchemeGroupVersion)
		return nil
	})
	AddToScheme = SchemeBuilder.AddToScheme
)

func Resource(resource string) schema.GroupResource { return SchemeGroupVersion.WithResource(resource).GroupResource() }
`
