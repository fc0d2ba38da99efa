// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/tree"
)

const (
	alphaTypes     = "pkg/apis/a/v1/types.go"
	betaTypes      = "pkg/apis/b/v1/types.go"
	leafCopy       = "pkg/leaves/copy.go"
	leafMethod     = "package leaves\n\nfunc (in *Leaf) DeepCopyInto(out *Leaf) { *out = *in }\n"
	alphaExpansion = "pkg/client/clientset/versioned/typed/a/v1/alpha_expansion.go"
)

// leafy is a project of which the generated code compiles: the type from elsewhere has the method that deepcopy-gen calls.
var leafy = gentest.Fixture{Archive: "testdata/targets.txtar", Prepare: func(t *testing.T, root string) {
	t.Helper()
	safefstest.WriteFiles(t, root, map[string]string{leafCopy: leafMethod})
}}

// After each edit, what is found with earlier checks is what is found without them, whether the files were written or not.
func TestKeptChecks(t *testing.T) {
	root, store := leafy.Lay(t), cache.At(t.TempDir(), 1<<30)
	for _, step := range []struct {
		name, file, old, by string // a file without an old text is new; one without either is removed
		wrong               string // what does not compile
		unwritten           bool
	}{
		{name: "nothing was there before", unwritten: true},
		{name: "a field while nothing is there", file: betaTypes, old: "type BetaSpec struct {", by: "type BetaSpec struct {\n\tFirst []string `json:\"first,omitempty\"`", unwritten: true},
		{name: "a field", file: betaTypes, old: "type BetaSpec struct {", by: "type BetaSpec struct {\n\tAdded []string `json:\"added,omitempty\"`"},
		{name: "a field whose files are not written", file: alphaTypes, old: "type AlphaSpec struct {", by: "type AlphaSpec struct {\n\tAdded []string `json:\"added,omitempty\"`", unwritten: true},
		{name: "a field of a type elsewhere", file: "pkg/leaves/leaves.go", old: "type Leaf struct {", by: "type Leaf struct {\n\tStem *string `json:\"stem\"`"},
		{name: "a method that is gone elsewhere", file: leafCopy, wrong: "has no field or method DeepCopyInto"},
		{name: "the method again", file: leafCopy, by: leafMethod},
		{name: "a kind", file: "pkg/apis/b/v1/more.go", by: gammaKind},
		{name: "an expansion", file: alphaExpansion, by: "package v1\n\ntype AlphaExpansion interface{}\n"},
		{name: "a method that a client lacks", file: alphaExpansion, old: "interface{}", by: "interface{ More() }", wrong: "missing method More"},
		{name: "an edit elsewhere meanwhile", file: betaTypes, old: "type BetaSpec struct {", by: "type BetaSpec struct {\n\tOther []string `json:\"other,omitempty\"`", wrong: "missing method More"},
		{name: "the method", file: "pkg/client/clientset/versioned/typed/a/v1/more.go", by: "package v1\n\nfunc (*alphas) More() {}\n", wrong: "missing method More"},
		{name: "the fake's method", file: "pkg/client/clientset/versioned/typed/a/v1/fake/more.go", by: "package fake\n\nfunc (*fakeAlphas) More() {}\n"},
		{name: "a second declaration", file: "pkg/client/listers/a/v1/more.go", by: "package v1\n\ntype AlphaLister struct{}\n", wrong: "redeclared"},
		{name: "an import that does not exist", file: "pkg/client/listers/a/v1/more.go", old: "type AlphaLister struct{}", by: "import _ \"example.com/fixture/pkg/later\""},
		{name: "an edit that does not see it", file: betaTypes, old: "type BetaSpec struct {", by: "type BetaSpec struct {\n\tThird []string `json:\"third,omitempty\"`"},
		{name: "no import", file: "pkg/client/listers/a/v1/more.go", by: "package v1\n"},
		{name: "the import again", file: "pkg/client/listers/a/v1/more.go", by: "package v1\n\nimport _ \"example.com/fixture/pkg/later\"\n"},
		{name: "the package that is imported", file: "pkg/later/later.go", by: "package later\n"},
		{name: "another import that does not exist, behind it", file: "pkg/later/later.go", by: "package later\n\nimport \"example.com/fixture/pkg/never\"\n\ntype T = never.T\n"},
		{name: "neither import", file: "pkg/client/listers/a/v1/more.go"},
	} {
		at := filepath.Join(root, filepath.FromSlash(step.file))
		text := step.by
		switch {
		case step.old != "":
			data, err := os.ReadFile(at)
			require.NoError(t, err)
			require.Contains(t, string(data), step.old, step.name)
			text = strings.Replace(string(data), step.old, step.by, 1)
			fallthrough
		case step.by != "":
			safefstest.WriteFiles(t, root, map[string]string{step.file: text})
		case step.file != "":
			require.NoError(t, os.Remove(at))
		}
		fresh, _, freshErr := checkedWith(t, root, nil)
		for _, again := range []bool{false, true} {
			notes, changes, err := checkedWith(t, root, store)
			assert.Equal(t, fresh, notes, "%s, again: %t", step.name, again)
			if step.wrong != "" {
				require.ErrorContains(t, freshErr, step.wrong, step.name)
				require.EqualError(t, err, freshErr.Error(), "%s, again: %t", step.name, again)
			} else {
				require.NoError(t, freshErr, step.name)
				require.NoError(t, err, "%s, again: %t", step.name, again)
			}
			if !step.unwritten {
				require.NoError(t, tree.Write(root, changes))
			}
		}
	}
}

// After an edit, the packages are not checked that do not see it.
func TestKeptChecksAreUsed(t *testing.T) {
	root, dir := leafy.Lay(t), t.TempDir()
	store := cache.At(dir, 1<<30)
	for range 2 {
		notes, changes, err := checkedWith(t, root, store)
		require.NoError(t, err)
		require.Empty(t, notes)
		require.NoError(t, tree.Write(root, changes))
	}
	require.True(t, pretendLack(t, dir, store, "example.com/fixture/pkg/client/listers/a/v1", "example.com/fixture/never"))
	edit := func(file, old string) []string {
		data, err := os.ReadFile(filepath.Join(root, file))
		require.NoError(t, err)
		safefstest.WriteFiles(t, root, map[string]string{file: strings.Replace(string(data), old, old+"\n\tAdded []string `json:\"added,omitempty\"`", 1)})
		notes, _, err := checkedWith(t, root, store)
		require.NoError(t, err)
		return notes
	}
	notes := strings.Join(edit(betaTypes, "type BetaSpec struct {"), "\n")
	assert.Contains(t, notes, "cannot load example.com/fixture/never", "it was checked again")
	assert.Empty(t, edit(alphaTypes, "type AlphaSpec struct {"), "it was not checked again")
}

// checkedWith generates and type-checks, with what a store has.
func checkedWith(t *testing.T, root string, store *cache.Store) (notes []string, changes []tree.Change, err error) {
	t.Helper()
	result := generateCached(t, root, store)
	changes, err = result.Tree.Diff(root)
	require.NoError(t, err)
	notes, err = result.TypeCheck(t.Context(), changes)
	return notes, changes, err
}

// pretendLack has what is kept of a package say that it lacks another one.
func pretendLack(t *testing.T, dir string, store *cache.Store, path, lacks string) (found bool) {
	t.Helper()
	for _, entry := range entriesOf(t, dir) {
		name, err := hex.DecodeString(filepath.Base(entry))
		require.NoError(t, err)
		var kept keptChecks
		if !store.Get(cache.Key(name), &kept) || len(kept.Packages) == 0 {
			continue
		}
		one, ok := kept.Packages[path]
		one.Lacks = lacks
		kept.Packages[path] = one
		require.NoError(t, store.Put(cache.Key(name), kept))
		found = found || ok
	}
	return found
}
