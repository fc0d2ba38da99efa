// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
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
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n"})
	safefstest.WriteFiles(t, root, map[string]string{"v1/types.go": src})
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
	fields, ours := 0, 0
	for _, k := range f.kinds {
		typ := theirs[k.name()]
		if !assert.NotNil(t, typ, k.name()) {
			continue
		}
		assert.Equal(t, tagged(append(typ.SecondClosestCommentLines, typ.CommentLines...)), k.tagged("genclient"), k.name())
		for _, m := range typ.Members {
			if tagged(m.CommentLines) {
				fields++
			}
		}
	}
	assert.Len(t, f.kinds, 13, "kinds")
	for _, tag := range f.tags {
		if tag.place.has(onField) {
			ours++
		}
	}
	assert.Equal(t, fields, ours)
}
