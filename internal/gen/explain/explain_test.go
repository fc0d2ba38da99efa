// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/workspace"
)

const taggedFile = `package v1

// +genclient
// +genclient:method=Foo,verb=create,input=no.such/pkg/v1.T,result=example.com/p/v1.Nope
// +k8s:deepcopy-gen:interfaces=k8s.io/a/runtime.Object,k8s.io/a/runtime.Nope
type A struct{}

	// +k8s:conversion-gen=no.such/pkg/v1
	// +k8s:conversion-gen=no.such/pkg/v11
`

// Packages and types that tags name, and that do not exist, are reported at the tags.
func TestMisnamed(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"v1/a.go": taggedFile})
	sources := Sources{"v1/a.go": {}, "v1/gone.go": {}}
	for said, want := range map[string][]string{
		"deepcopy-gen: -: package no.such/pkg/v1 is not in std (/go/src/x)": {
			"v1/a.go:4:4: +genclient:method: the package no.such/pkg/v1 does not exist", "v1/a.go:8:5: +k8s:conversion-gen: the package no.such/pkg/v1 does not exist",
		},
		"-: no required module provides package no.such/pkg/v11; to add it:": {"v1/a.go:9:5: +k8s:conversion-gen: the package no.such/pkg/v11 does not exist"},
		`type "k8s.io/a/runtime.Nope" in k8s:deepcopy-gen:interfaces tag of type k8s.io/a/runtime.Nope is not an interface, but: ""`: {
			"v1/a.go:5:4: +k8s:deepcopy-gen:interfaces: k8s.io/a/runtime.Nope does not exist",
		},
		`type "k8s.io/a/runtime.Object" in k8s:deepcopy-gen:interfaces tag of type k8s.io/a/runtime.Object is not an interface, but: "Struct"`: {
			"v1/a.go:5:4: +k8s:deepcopy-gen:interfaces: k8s.io/a/runtime.Object is not an interface",
		},
		"no required module provides package no.such/other; to add it:": nil,
		"something else": nil,
	} {
		gentest.CompareLines(t, said, misnamed(Context{Root: root, Sources: sources}, said), want)
	}
	types := func(errs ...load.TypeError) error { return MisnamedTypes(root, sources, errs) }
	gentest.CompareLines(t, "undefined", types(load.TypeError{Msg: "undefined: v1.Nope"}), []string{"v1/a.go:4:4: +genclient:method: example.com/p/v1.Nope does not exist"})
	gentest.CompareLines(t, "lacks", types(load.TypeError{Msg: "undefined: v1.T", Lacks: "no.such/pkg/v1.T"}), []string{"v1/a.go:4:4: +genclient:method: no.such/pkg/v1.T does not exist"})
	gentest.CompareLines(t, "other", types(load.TypeError{Msg: "undefined: v1.Other"}, load.TypeError{Lacks: "k8s.io/client-go/gentype.X"}), nil)
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module no.such\n"})
	pkg := func(path string) error {
		return MisnamedPackages(root, sources, workspace.ImportPaths{}, []load.Unchecked{{Import: path}})
	}
	gentest.CompareLines(t, "a package of ours", pkg("no.such/pkg/v11"), []string{"v1/a.go:9:5: +k8s:conversion-gen: the package no.such/pkg/v11 does not exist"})
	gentest.CompareLines(t, "a package of another module", pkg("k8s.io/a/runtime"), nil)
	safefstest.WriteFiles(t, root, map[string]string{"pkg/v11/a.go": "package v11\n"})
	gentest.CompareLines(t, "a package that does not load", pkg("no.such/pkg/v11"), nil)
}

// Each word of validation-gen is put at the field that it names, in Go or in JSON.
func TestValidated(t *testing.T) {
	c := contextOf(t, "package v1\n\ntype A struct {\n\tB []B `json:\"b,omitempty\"`\n}\n\ntype B struct {\n\tC string `json:\"cee\"`\n}\n")
	for said, want := range map[string][]string{
		"validation-gen v0.37.1: lint failed:\n  type example.com/p/v1.A:\n    field B: must have a tag\n    one more\n  type example.com/p/v1.B:\n    field C: must have another\n": {
			"v1/types.go:4:2: A.B: must have a tag", "v1/types.go:3:6: A: one more", "v1/types.go:8:2: B.C: must have another",
		},
		"validation-gen v0.37.1: failed to generate validations: field example.com/p/v1.A.b[*].cee (string): tag \"k8s:format\": unsupported": {
			"v1/types.go:8:2: A.b[*].cee: tag \"k8s:format\": unsupported",
		},
		"validation-gen v0.37.1: field example.com/other.A.b: is of another package": nil,
		"deepcopy-gen: field example.com/p/v1.A.b: no":                               nil,
	} {
		gentest.CompareLines(t, said, validated(c, said), want)
	}
}

// Generic types are blamed for what follows from them, and nothing else is.
func TestGeneric(t *testing.T) {
	const decl = "package v1\n\ntype Pair[K comparable, V any] struct {\n\tKey K\n\tValue V\n}\n"
	const used = decl + "\ntype A struct {\n\tP map[string][]*Pair[string, int]\n}\n"
	const about = "client/a.go: applyconfiguration-gen generated code that is not Go: 1:1"
	gentest.CompareLines(t, "used", generic(contextOf(t, used), about), []string{"v1/types.go:9:2: A.P has the generic type map[string][]*Pair[string, int], which not all generators support"})
	unused := "deepcopy-gen: Hit an unsupported type 'K' for 'K', from example.com/p/v1.Pair[K,V].Key"
	gentest.CompareLines(t, "unused", generic(contextOf(t, decl), unused), []string{"v1/types.go:3:6: Pair is a generic type, which not all generators support"})
	gentest.CompareLines(t, "other", generic(contextOf(t, used), "client-gen generated code that is not Go"), nil)
	gentest.CompareLines(t, "none", generic(contextOf(t, "package v1\n\ntype A struct{ B map[string]A }\n"), about), nil)
	gentest.CompareLines(t, "copies", uncopyable(contextOf(t, used), "deepcopy-gen: x"), nil)
}

func contextOf(t *testing.T, src string) Context {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "/p/v1/types.go", src, 0)
	require.NoError(t, err)
	pkg, err := (&types.Config{}).Check("example.com/p/v1", fset, []*ast.File{f}, nil)
	require.NoError(t, err)
	paths := []string{pkg.Path(), "example.com/p/not/loaded"}
	return Context{Root: "/p", Graph: &load.Graph{Fset: fset, Packages: map[string]*packages.Package{pkg.Path(): {Types: pkg}}}, Load: paths, Copied: paths}
}

// kube-openapi names a field that is both optional and required, but neither its type nor its file.
func TestBothTags(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{
		"v1/a.go": "package v1\n\ntype A struct {\n\t// +optional\n\t// +required\n\tExtra string\n\t// +required\n\tOther string\n}\n",
		"v1/b.go": "package v1\n\ntype B struct {\n\t// +optional\n\tExtra string\n}\n\ntype C struct {\n\t// +k8s:optional\n\t// +k8s:required\n\tExtra string\n}\n",
	})
	c := Context{Root: root, Sources: Sources{"v1/a.go": {}, "v1/b.go": {}, "v1/gone.go": {}}}
	gentest.CompareLines(t, "both", bothTags(c, "openapi-gen: member Extra cannot be both optional and required"), []string{
		"v1/a.go:6:2: Extra has both +optional and +required", "v1/b.go:11:2: Extra has both +optional and +required",
	})
	gentest.CompareLines(t, "another error", bothTags(c, "member Extra is wrong"), nil)
}

const uncopyableSource = `package v1

type Spec struct {
	Func     func()
	Chan     map[string]chan int
	Any      interface{}
	Anys     []any
	Does     interface{ Do() }
	Named    Named
	Copied   Copied
	Complex  complex64
	Own      Own
	Other    *Other
	Others   []Other
	Callback Callback
	Fine     map[string][]*int
}

type Named interface{ Do() }
type Copied interface{ DeepCopyCopied() Copied }
type Callback func()
type Other struct{ Bad func() }
type Own struct{ F func() }

func (in *Own) DeepCopyInto(out *Own) {}
`

func TestUncopyable(t *testing.T) {
	const (
		takeOut  = ", which cannot be deep-copied; remove the field, or mark its struct with // +k8s:deepcopy-gen=false and write its DeepCopyInto yourself"
		anything = ", which cannot be deep-copied; use runtime.RawExtension or apiextensionsv1.JSON for arbitrary values, or a named interface with a DeepCopyNAME method"
		bad      = "v1/types.go:22:20: Other.Bad has the type func()" + takeOut
	)
	c := contextOf(t, uncopyableSource)
	gentest.CompareLines(t, "all", uncopyable(c, "deepcopy-gen: something else"), []string{
		"v1/types.go:4:2: Spec.Func has the type func()" + takeOut,
		"v1/types.go:5:2: Spec.Chan has the type map[string]chan int" + takeOut,
		"v1/types.go:6:2: Spec.Any has the type interface{}" + anything,
		"v1/types.go:7:2: Spec.Anys has the type []any" + anything,
		"v1/types.go:8:2: Spec.Does has the type interface{Do()}" + anything,
		"v1/types.go:9:2: Spec.Named has the type Named, which cannot be deep-copied; give the interface the method DeepCopyNamed() Named",
		"v1/types.go:11:2: Spec.Complex has the type complex64, which cannot be deep-copied; make it a string, a number or a bool",
		"v1/types.go:15:2: Spec.Callback has the type Callback" + takeOut,
		bad,
	})
	gentest.CompareLines(t, "one", uncopyable(c, "deepcopy-gen: Hit an unsupported type 'func()' for 'func()', from example.com/p/v1.Other.Bad"), []string{bad})
}
