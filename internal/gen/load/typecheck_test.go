// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/gentest"
)

// world of the tests: a package "gen" with generated files, and packages that it imports.
const typeCheckModule = `
-- go.mod --
module example.com/m

go 1.25
-- dep/dep.go --
package dep

import "net/http"

// Client has more than anyone uses.
type Client struct {
	Name  string
	inner *http.Client
}

type (
	Shower interface{ Show() string }
	Pair[K comparable, V any] struct {
		Key   K
		Value V
	}
)

const (
	First = iota
	Second
)

var table, rest = map[string]int{}, []Shower{Client{}}

func (c Client) Show() string { return c.Name }

func (c Client) Hidden() {}

func Table() map[string]int { return table }

func Shown() interface {
	Show() string
} {
	return Client{}
}

type Outer struct{ Odd Odd }

// Odd is cut in the wrong place.
type Odd =
func (int) string
-- gen/hand.go --
package gen

import "example.com/dep/of/none"

// Hand is written by hand, with a body that does not compile.
type Hand struct{ A int }

func (h Hand) broken() { none.Knows(undefinedName) }
-- gen/zz_b.go --
package gen

import "example.com/m/dep"

var all = []dep.Shower{dep.Client{Name: "x"}}

func use() (dep.Pair[string, int], Hand) {
	_ = dep.Second
	dep.Client{}.Hidden()
	dep.Table()["a"] = len(all)
	return dep.Pair[string, int]{Key: "a", Value: 1}, Hand{A: 1}
}
`

func checked(t *testing.T, edit map[string]string) *Report {
	t.Helper()
	return checkedBy(t, edit, func(env *Env) Finder { return env })
}

func checkedBy(t *testing.T, edit map[string]string, find func(*Env) Finder) *Report {
	t.Helper()
	archive := typeCheckModule
	for name, data := range edit {
		archive += "-- " + name + " --\n" + data
	}
	root := gentest.LayText(t, archive)
	p := Target{Path: "example.com/m/gen", Dir: filepath.Join(root, "gen"), Files: map[string][]byte{}}
	generated, err := filepath.Glob(filepath.Join(p.Dir, "zz_*.go"))
	require.NoError(t, err)
	for _, file := range generated {
		p.Files[filepath.Base(file)], err = os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.Remove(file))
	}
	env, err := NewEnv(t.Context(), root)
	require.NoError(t, err)
	r, err := TypeCheck(t.Context(), find(env), []Target{p})
	require.NoError(t, err)
	return r
}

// The import of hand.go is for a body alone, which is not looked at; but it cannot be loaded, which is reported.
func TestUnchecked(t *testing.T) {
	r := checked(t, nil)
	if len(r.Errors) != 0 || len(r.Unchecked) != 1 || r.Unchecked[0].Import != "example.com/dep/of/none" {
		t.Errorf("%+v", r)
	}
}

func TestCheck(t *testing.T) {
	const hand = "package gen\n\ntype Hand struct{ A int }\n\nfunc (h Hand) broken() { undefinedName() }\n"
	for name, c := range map[string]struct {
		file, src string
		want      []string // FILE:LINE:COLUMN
	}{
		"compiles":              {"gen/hand.go", hand, nil},
		"no such name":          {"gen/zz_c.go", "package gen\n\nimport \"example.com/m/dep\"\n\nvar c dep.Missing\n", []string{"zz_c.go:5:11"}},
		"no such method":        {"gen/zz_c.go", "package gen\n\nimport \"example.com/m/dep\"\n\nfunc c() { dep.Client{}.Gone() }\n", []string{"zz_c.go:5:25"}},
		"no such field":         {"gen/zz_c.go", "package gen\n\nimport \"example.com/m/dep\"\n\nvar c = dep.Client{Gone: 1}\n", []string{"zz_c.go:5:20"}},
		"not implemented":       {"gen/zz_c.go", "package gen\n\nimport \"example.com/m/dep\"\n\nvar c dep.Shower = Hand{}\n", []string{"zz_c.go:5:20"}},
		"in a body":             {"gen/zz_c.go", "package gen\n\nfunc c() int { return \"\" }\n", []string{"zz_c.go:3:23"}},
		"not used":              {"gen/zz_c.go", "package gen\n\nimport \"fmt\"\n", []string{"zz_c.go:3:8"}},
		"declared by hand, too": {"gen/zz_a.go", "package gen\n\ntype Hand struct{}\n", []string{"zz_a.go:3:6"}},
		"method by hand, too":   {"gen/zz_a.go", "package gen\n\nfunc (h Hand) broken() {}\n", []string{"zz_a.go:3:15"}},
		"of a result type":      {"gen/zz_c.go", "package gen\n\nimport \"example.com/m/dep\"\n\nvar c func() interface{} = dep.Shown\n", []string{"zz_c.go:5:28"}},
		"not as gofmt writes":   {"gen/zz_c.go", "package gen\n\nimport \"example.com/m/dep\"\n\nvar c string = dep.Outer{}.Odd\n", []string{"zz_c.go:5:16"}},
		"another package":       {"gen/zz_a.go", "package other\n", []string{"hand.go:1:9"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, e := range checked(t, map[string]string{"gen/hand.go": hand, c.file: c.src}).Errors {
				e.Pos.Filename = filepath.Base(e.Pos.Filename)
				got = append(got, e.Pos.String())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// fixed is a Finder whose packages cannot change.
type fixed struct{ *Env }

func (fixed) Local(string) bool { return false }

// What an import lacks does not hide what else is wrong, and what follows from it is not an error of its own.
func TestLacks(t *testing.T) {
	const hand = "package gen\n\ntype Hand struct{ A int }\n"
	const lacking = "package gen\n\nimport \"example.com/m/dep\"\n\nvar missing dep.Missing = dep.First\n\nvar show dep.Shower = missing\n"
	for name, c := range map[string]struct {
		more string
		want []string // what is wrong, without positions
	}{
		"alone":             {"", []string{"example.com/m/dep.Missing"}},
		"declared twice":    {"\ntype Hand struct{}\n", []string{"example.com/m/dep.Missing", "Hand redeclared in this block"}},
		"an undefined name": {"\nvar other = dep.Second + another\n", []string{"example.com/m/dep.Missing", "undefined: another"}},
		"not of its type":   {"\nvar number int = show\n", []string{"example.com/m/dep.Missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := checkedBy(t, map[string]string{"gen/hand.go": hand, "gen/zz_c.go": lacking + c.more}, func(env *Env) Finder { return fixed{env} })
			var got []string
			for _, e := range r.Errors {
				what, _, _ := strings.Cut(cmp.Or(e.Lacks, e.Msg), filepath.Dir(e.Pos.Filename))
				got = append(got, what)
				assert.False(t, e.Follows, "%+v", e)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// The type checker must not wait for ever.
func TestCycle(t *testing.T) {
	r := checked(t, map[string]string{"gen/hand.go": "package gen\n\ntype Hand struct{ A int }\n", "gen/zz_c.go": "package gen\n\nimport \"example.com/m/dep\"\n\nvar c dep.Back\n", "dep/back.go": "package dep\n\nimport \"example.com/m/gen\"\n\ntype Back = gen.Hand\n"})
	require.Len(t, r.Errors, 1)
	assert.NotZero(t, r.Errors[0].Pos.Line)
}
