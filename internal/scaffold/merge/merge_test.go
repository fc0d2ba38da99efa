// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLines(t *testing.T) {
	base := "a\nb\nc\nd\ne\nf\ng\n"
	for name, c := range map[string]struct {
		mine, theirs, want string
		conflicts          int
	}{
		"both, in different places": {"a\nB\nc\nd\ne\nf\ng\n", "a\nb\nc\nd\ne\nF\ng\n", "a\nB\nc\nd\ne\nF\ng\n", 0},
		"both, the same":            {"a\nX\nc\nd\ne\nf\nG\n", "A\nX\nc\nd\ne\nf\ng\n", "A\nX\nc\nd\ne\nf\nG\n", 0},
		"mine alone":                {"a\n", base, "a\n", 0},
		"theirs alone":              {base, "x\n", "x\n", 0},
		"a removal and an edit":     {"a\nc\nd\ne\nf\ng\n", "a\nb\nc\nd\ne\nf\nG\n", "a\nc\nd\ne\nf\nG\n", 0},
		"the same line":             {"a\nb\nmine\nd\ne\nf\ng\n", "a\nb\ntheirs\nd\ne\nf\ng\n", "a\nb\n" + markMine + "mine\n" + markMiddle + "theirs\n" + markTheirs + "d\ne\nf\ng\n", 1},
		"no line feed at the end":   {"a\nb\nc\nd\ne\nf\ng", "A\nb\nc\nd\ne\nf\ng\n", "A\nb\nc\nd\ne\nf\ng\n", 0},
		"carriage returns":          {"a\r\nb\r\nc\r\nd\r\ne\r\nf\r\nmine\r\n", "A\nb\nc\nd\ne\nf\ng\n", "A\r\nb\r\nc\r\nd\r\ne\r\nf\r\nmine\r\n", 0},
		"what both wrote does not conflict": {"a\nb\nX\nmine\nY\nd\ne\nf\ng\n", "a\nb\nX\ntheirs\nY\nd\ne\nf\ng\n",
			"a\nb\nX\n" + markMine + "mine\n" + markMiddle + "theirs\n" + markTheirs + "Y\nd\ne\nf\ng\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Files("x.txt", []byte(base), []byte(c.mine), []byte(c.theirs))
			if err != nil || string(got.Content) != c.want || got.Conflicts != c.conflicts {
				t.Errorf("%d conflicts (%v):\n%s\nwant %d:\n%s", got.Conflicts, err, got.Content, c.conflicts, c.want)
			}
		})
	}
}

func TestGoMod(t *testing.T) {
	const base = "module x\n\ngo 1.25.0\n\nrequire (\n\ta.com/a v1.0.0\n\ta.com/b v1.0.0\n\ta.com/gone v1.0.0\n)\n"
	const mine = "module x\n\ngo 1.25.0\n\nrequire (\n\ta.com/a v1.2.0 // mine\n\ta.com/b v1.0.0\n\tm.com/mine v0.1.0\n)\n\nreplace m.com/mine => ../mine\n"
	const theirs = "module x\n\ngo 1.26.0\n\nrequire (\n\ta.com/a v1.1.0\n\ta.com/b v1.1.0\n\ta.com/gone v1.1.0\n\ta.com/new v1.0.0\n)\n"
	got, err := Files("go.mod", []byte(base), []byte(mine), []byte(theirs))
	require.NoError(t, err)
	for _, want := range []string{"go 1.26.0\n", "\ta.com/a v1.2.0 // mine\n", "\ta.com/b v1.1.0\n", "a.com/new v1.0.0\n", "\tm.com/mine v0.1.0\n", "replace m.com/mine => ../mine\n"} {
		assert.Contains(t, string(got.Content), want)
	}
	assert.NotContains(t, string(got.Content), "gone", "what the user took out is back")
	_, err = Files("go.mod", []byte(base), []byte("modul x\n"), []byte(theirs))
	assert.Error(t, err, "no error for a go.mod that is none")
}

func TestGoSum(t *testing.T) {
	got, err := Files("go.sum", nil, []byte("b v1 h1:b\n\na v1 h1:a\n"), []byte("a v1 h1:a\nc v1 h1:c\n"))
	if want := "a v1 h1:a\nb v1 h1:b\nc v1 h1:c\n"; err != nil || string(got.Content) != want {
		t.Errorf("%v:\n%s", err, got.Content)
	}
}

// With one side unchanged the other comes out, whatever it is; every line is of one of the sides, and none that the user
// added is lost.
func FuzzFiles(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n", "a\nb\ny\n", false)
	f.Add("", "a", "b\n", true)
	f.Fuzz(func(t *testing.T, base, mine, theirs string, returns bool) {
		for _, s := range []*string{&base, &mine, &theirs} {
			*s = strings.ReplaceAll(*s, "\r", "") // a template has none, and of a file either all lines or none end in them
		}
		for _, side := range []string{mine, theirs} {
			if got, err := Files("f", []byte(base), []byte(base), []byte(side)); err != nil || string(got.Content) != side {
				t.Errorf("theirs alone: %q, %v", got.Content, err)
			}
			if got, err := Files("f", []byte(base), []byte(side), []byte(base)); err != nil || string(got.Content) != side {
				t.Errorf("mine alone: %q, %v", got.Content, err)
			}
		}
		side := mine
		if returns {
			side = strings.ReplaceAll(mine, "\n", "\r\n")
		}
		result, err := Files("f", []byte(base), []byte(side), []byte(theirs))
		require.NoError(t, err)
		got := split([]byte(strings.ReplaceAll(string(result.Content), "\r", "")))
		known := slices.Concat(split([]byte(base)), split([]byte(mine)), split([]byte(theirs)), []string{markMine, markMiddle, markTheirs})
		for _, line := range got {
			assert.Contains(t, known, line, "is of neither side")
		}
		for _, line := range split([]byte(mine)) {
			if !slices.Contains(split([]byte(base)), line) && !slices.Contains(got, line) {
				t.Errorf("%q of mine is lost", line)
			}
		}
	})
}
