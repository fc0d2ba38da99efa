package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "/p/v1/types.go", uncopyableSource, 0)
	require.NoError(t, err)
	pkg, err := (&types.Config{}).Check("example.com/p/v1", fset, []*ast.File{f}, nil)
	require.NoError(t, err)
	g := &load.Graph{Fset: fset, Packages: map[string]*packages.Package{pkg.Path(): {Types: pkg}}}
	paths := []string{pkg.Path(), "example.com/p/not/loaded"}
	const (
		takeOut  = "take the field out, or mark its struct with // +k8s:deepcopy-gen=false and write the DeepCopyInto of that by hand"
		anything = "make it a runtime.RawExtension or an apiextensionsv1.JSON if it takes any value, or a named interface with a DeepCopyNAME method"
		deeply   = ", which can't be copied deeply; "
		head     = "copy the types of the API packages:\n  "
	)
	all := head +
		"v1/types.go:4:2: Spec.Func has the type func()" + deeply + takeOut + "\n  " +
		"v1/types.go:5:2: Spec.Chan has the type map[string]chan int" + deeply + takeOut + "\n  " +
		"v1/types.go:6:2: Spec.Any has the type interface{}" + deeply + anything + "\n  " +
		"v1/types.go:7:2: Spec.Anys has the type []any" + deeply + anything + "\n  " +
		"v1/types.go:8:2: Spec.Does has the type interface{Do()}" + deeply + anything + "\n  " +
		"v1/types.go:9:2: Spec.Named has the type Named" + deeply + "give the interface the method DeepCopyNamed() Named\n  " +
		"v1/types.go:11:2: Spec.Complex has the type complex64" + deeply + "make it a string, a number or a bool\n  " +
		"v1/types.go:15:2: Spec.Callback has the type Callback" + deeply + takeOut + "\n  " +
		"v1/types.go:22:20: Other.Bad has the type func()" + deeply + takeOut
	for said, want := range map[string]string{
		"deepcopy-gen: something else": all,
		"deepcopy-gen: Hit an unsupported type 'func()' for 'func()', from example.com/p/v1.Other.Bad": head +
			"v1/types.go:22:20: Other.Bad has the type func()" + deeply + takeOut,
	} {
		assert.EqualError(t, uncopyable("/p", g, paths, said), want, said)
	}
}
