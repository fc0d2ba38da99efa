package markerlint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"
)

// gengo's own parser and ours find a tag on the same types and fields.
func TestPlaceIsGengos(t *testing.T) {
	const src = `// +genclient
package v1

// +genclient
type Right struct{ A int }

// +genclient

// Second has it in the second closest comment.
type Second struct {
	// +genclient
	A int
	B int // +genclient
	C int

	// +genclient

	D int
}

// +genclient

// Third has a comment between.

// Third has none.
type Third struct{}
/* +genclient */
type Block struct{}

/*
+genclient
*/

type BlockSecond struct{}

type Trailing struct{} // +genclient
type AfterTrailing struct{}

// +genclient
type (
	InList struct{}

	// +genclient
	InListDirect struct{}

	// +genclient

	InListSecond struct{}
)

// +genclient


type TwoLines struct{}

//+genclient
type
	Named struct{}

// +genclient
type Generic[T any] struct{ A T }

func f() {
	// +genclient
	type Local struct{}
	_ = Local{}
}
`
	root := t.TempDir()
	writeFile(t, root, "go.mod", []byte("module example.com/m\n\ngo 1.24\n"))
	writeFile(t, root, "v1/types.go", []byte(src))
	t.Chdir(root)
	p := parser.New()
	require.NoError(t, p.LoadPackages("./v1"))
	universe, err := p.NewUniverse()
	require.NoError(t, err)
	f, err := readFile(root, "v1/types.go")
	require.NoError(t, err)
	tagged := func(lines []string) bool { return gengo.ExtractCommentTags("+", lines)["genclient"] != nil } //nolint:staticcheck // as client-gen reads it
	theirs := map[string]*types.Type{}
	for name, typ := range universe["example.com/m/v1"].Types {
		name, _, _ = strings.Cut(name, "[") // of generic types
		theirs[name] = typ
	}
	fields := 0
	for i := range f.kinds {
		k := &f.kinds[i]
		typ := theirs[k.spec.Name.Name]
		if typ == nil {
			t.Errorf("gengo has no type %s", k.spec.Name.Name)
			continue
		}
		if want := tagged(append(typ.SecondClosestCommentLines, typ.CommentLines...)); f.tagged(k, "genclient") != want {
			t.Errorf("%s: tagged %v, gengo says %v", k.spec.Name.Name, !want, want)
		}
		for _, m := range typ.Members {
			if tagged(m.CommentLines) {
				fields++
			}
		}
	}
	assert.Len(t, f.kinds, 13, "kinds")
	ours := 0
	for _, tag := range f.tags {
		if tag.place.has(onField) {
			ours++
		}
	}
	assert.Equal(t, fields, ours)
}
