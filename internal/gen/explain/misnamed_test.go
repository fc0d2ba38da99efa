package explain

import (
	"crypto/sha256"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/require"

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
	sources := map[string][sha256.Size]byte{"v1/a.go": {}, "v1/gone.go": {}}
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
		gentest.CompareLines(t, said, misnamed(root, sources, said), want)
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
	g := graphOf(t, "package v1\n\ntype A struct {\n\tB []B `json:\"b,omitempty\"`\n}\n\ntype B struct {\n\tC string `json:\"cee\"`\n}\n")
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
		gentest.CompareLines(t, said, validated("/p", g, said), want)
	}
}

// Generic types are blamed for what follows from them, and nothing else is.
func TestGeneric(t *testing.T) {
	const decl = "package v1\n\ntype Pair[K comparable, V any] struct {\n\tKey K\n\tValue V\n}\n"
	const used = decl + "\ntype A struct {\n\tP map[string][]*Pair[string, int]\n}\n"
	paths := []string{"example.com/p/v1", "example.com/p/not/loaded"}
	const about = "client/a.go: applyconfiguration-gen made code that is not Go: 1:1"
	gentest.CompareLines(t, "used", generic("/p", graphOf(t, used), paths, about), []string{"v1/types.go:9:2: A.P has the generic type map[string][]*Pair[string, int], for which not all generators make code"})
	unused := "deepcopy-gen: Hit an unsupported type 'K' for 'K', from example.com/p/v1.Pair[K,V].Key"
	gentest.CompareLines(t, "unused", generic("/p", graphOf(t, decl), paths, unused), []string{"v1/types.go:3:6: Pair is a generic type, for which not all generators make code"})
	gentest.CompareLines(t, "other", generic("/p", graphOf(t, used), paths, "client-gen made code that is not Go"), nil)
	gentest.CompareLines(t, "none", generic("/p", graphOf(t, "package v1\n\ntype A struct{ B map[string]A }\n"), paths, about), nil)
	gentest.CompareLines(t, "copies", uncopyable("/p", graphOf(t, used), paths, "deepcopy-gen: x"), nil)
}

func graphOf(t *testing.T, src string) *load.Graph {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "/p/v1/types.go", src, 0)
	require.NoError(t, err)
	pkg, err := (&types.Config{}).Check("example.com/p/v1", fset, []*ast.File{f}, nil)
	require.NoError(t, err)
	return &load.Graph{Fset: fset, Packages: map[string]*packages.Package{pkg.Path(): {Types: pkg}}}
}

// kube-openapi names a field that is both optional and required, but neither its type nor its file.
func TestBothTags(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{
		"v1/a.go": "package v1\n\ntype A struct {\n\t// +optional\n\t// +required\n\tExtra string\n\t// +required\n\tOther string\n}\n",
		"v1/b.go": "package v1\n\ntype B struct {\n\t// +optional\n\tExtra string\n}\n\ntype C struct {\n\t// +k8s:optional\n\t// +k8s:required\n\tExtra string\n}\n",
	})
	sources := map[string][sha256.Size]byte{"v1/a.go": {}, "v1/b.go": {}, "v1/gone.go": {}}
	gentest.CompareLines(t, "both", bothTags(root, sources, "openapi-gen: member Extra cannot be both optional and required"), []string{
		"v1/a.go:6:2: Extra has both +optional and +required", "v1/b.go:11:2: Extra has both +optional and +required",
	})
	gentest.CompareLines(t, "another error", bothTags(root, sources, "member Extra is wrong"), nil)
}
